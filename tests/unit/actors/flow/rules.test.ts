/** Conditions, templates, local times and triggers, by themselves (docs/flows.md). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { beginRun } from '../../../../actors/domain/flow/arrival.ts';
import { flowForMessage, flowsForTags, holds } from '../../../../actors/domain/flow/conditions.ts';
import { renderTemplate, type TemplateScope } from '../../../../actors/domain/flow/template.ts';
import type { FlowEntry } from '../../../../actors/domain/organization/state.ts';
import type { Condition } from '../../../../shared/provisioning/flow-conditions.ts';
import {
  dayAfter,
  isLocalTime,
  localMoment,
  nextLocalTime,
  WEEKDAYS,
} from '../../../../shared/time/local-time.ts';
import { contextOf, flowOf, NOW, ORG } from '../../../support/actors/flow/flow-fixture.ts';

const flow = flowOf([{ id: 'end', do: 'end' }]);
const fresh = beginRun('run_1', flow, { now: NOW, org: ORG, steps: flow.steps });
assert.ok(fresh);
const run = {
  ...fresh,
  answers: {
    said: ' Não, OBRIGADO ',
    price: '1.234,50',
    shop: '{"ok":true,"n":[7],"no":null}',
    none: ' ',
    plain: ' 1234.5 ',
    signed: '+5',
    hex: '0x10',
    power: '12e3',
    code: 'a12',
  },
  parsed: ['shop'],
};

describe('conditions', () => {
  // 12:00 of a Friday in São Paulo.
  const table: readonly (readonly [Condition, boolean])[] = [
    [{ answer: 'said', equals: 'nao, obrigado' }, true],
    [{ answer: 'said', equals: 'nao' }, false],
    [{ answer: 'said', starts: 'não' }, true],
    [{ answer: 'said', contains: 'obri' }, true],
    [{ answer: 'said', in: ['sim', 'Não, obrigado'] }, true],
    [{ answer: 'missing', equals: '' }, false],
    [{ answer: 'missing', exists: false }, true],
    [{ answer: 'none', exists: true }, false],
    [{ answer: 'price', above: 1234 }, true],
    [{ answer: 'price', below: 1234.5 }, false],
    [{ answer: 'said', above: 0 }, false],
    [{ answer: 'shop.ok', equals: 'true' }, true],
    [{ answer: 'shop.n.0', above: 6 }, true],
    [{ answer: 'shop.constructor', exists: true }, false],
    [{ field: 'plano', equals: 'OURO' }, true],
    [{ field: 'toString', exists: true }, false],
    [{ tag: 'vip' }, true],
    [{ not: { tag: 'vip' } }, false],
    [{ optIn: true }, true],
    [{ hours: '09:00-12:00' }, false],
    [{ hours: '12:00-18:00' }, true],
    [{ hours: '22:00-06:00' }, false],
    [{ hours: '22:00-13:00' }, true],
    [{ weekday: ['fri'] }, true],
    [{ weekday: ['sat', 'sun'] }, false],
    [{ all: [{ tag: 'vip' }, { weekday: ['fri'] }] }, true],
    [{ any: [{ tag: 'x' }, { optIn: false }] }, false],
    [{ all: [{ tag: 'vip' }, { tag: 'x' }] }, false],
    [{ any: [{ tag: 'x' }, { tag: 'vip' }] }, true],
    [{ hours: '12:00-06:00' }, true],
    [{ hours: '22:00-12:00' }, false],
    [{ hours: '12:00-12:00' }, false],
    [{ answer: 'said', in: ['sim', 'talvez'] }, false],
    [{ answer: 'shop.no', exists: true }, false],
    [{ answer: 'shop.no', equals: 'null' }, false],
    [{ answer: 'shop.n', equals: '[7]' }, true],
    [{ answer: 'shop.n.0.x', exists: true }, false],
    [{ answer: 'price', above: 1234.5 }, false],
    [{ answer: 'price', below: 1235 }, true],
    [{ answer: 'plain', above: 1234 }, true],
    [{ answer: 'plain', below: 2000 }, true],
    [{ answer: 'signed', above: 4 }, true],
    [{ answer: 'none', below: 1 }, false],
    [{ answer: 'hex', above: 1 }, false],
    [{ answer: 'power', above: 1 }, false],
    [{ answer: 'code', above: 1 }, false],
  ];
  for (const [condition, expected] of table) {
    it(`${JSON.stringify(condition)} is ${expected}`, () => {
      assert.equal(holds(condition, run, contextOf(flow)), expected);
    });
  }
});

describe('conditions on tags', () => {
  it('one of the contact’s tags is enough', () => {
    const context = contextOf(flow);
    const contact = { ...context.contact, tags: ['A', 'VIP', 'B'] };
    assert.equal(holds({ tag: 'vip' }, run, { ...context, contact }), true);
    assert.equal(
      holds({ tag: 'vip' }, run, { ...context, contact: { ...contact, tags: [] } }),
      false,
    );
  });
});

describe('templates', () => {
  const scope: TemplateScope = {
    contact: { name: 'Ana', fields: { plano: 'ouro' }, tags: ['a', 'b'] },
    conversation: { id: 'cnv_1' },
    org: ORG,
    answers: { shop: { items: [{ name: 'café' }] } },
    chosen: {},
    now: '2026-01-02T03:04:05.000Z',
  };
  const table: readonly (readonly [string, string])[] = [
    ['Olá {{contact.name}}, {{contact.fields.plano | upcase}}', 'Olá Ana, OURO'],
    ['{{answers.shop.items[0].name}}{{answers.none}}', 'café'],
    ['{{ "now" | date: "%d/%m %H:%M" }}', '02/01 00:04'],
    ['{% assign now = 5 %}{{ "today" | date: "%Y", "UTC" }}', '2026'],
    ['{{ contact.constructor }}{{ contact.__proto__ }}{{ contact.fields.toString }}', ''],
    ['{% for tag in contact.tags %}{{tag}}{% endfor %}', 'ab'],
  ];
  for (const [source, expected] of table) {
    it(`${source} says "${expected}"`, () => {
      assert.deepEqual(renderTemplate(source, scope), { text: expected });
      assert.deepEqual(renderTemplate(source, scope), { text: expected }, 'and again');
    });
  }

  for (const source of [
    '{% for i in (1..99999999) %}x{% endfor %}',
    '{% for i in (1..9999) %}{% for j in (1..9999) %}{% for k in (1..9999) %}{% endfor %}{% endfor %}{% endfor %}',
    '{{ contact.tags | sample }}',
    '{% render "x" %}',
    '{% layout "x" %}',
  ]) {
    it(`${source} fails as a value`, () => {
      assert.ok('failed' in renderTemplate(source, scope));
    });
  }
});

describe('local times', () => {
  const table = [
    ['15:00', undefined, '2026-11-20T18:00:00.000Z'],
    ['09:00', undefined, '2026-11-21T12:00:00.000Z'],
    ['12:00', undefined, '2026-11-21T15:00:00.000Z'],
    ['09:00', ['mon'], '2026-11-23T12:00:00.000Z'],
    ['12:00', ['fri'], '2026-11-27T15:00:00.000Z'],
  ] as const;
  for (const [time, weekdays, expected] of table) {
    it(`${time} ${weekdays ?? ''} comes at ${expected}`, () => {
      const at = nextLocalTime({ time, weekdays }, NOW, ORG.timeZone);
      assert.equal(new Date(at).toISOString(), expected);
    });
  }

  it('a local time is HH:MM, 00:00 to 23:59', () => {
    for (const text of ['00:00', '09:30', '19:59', '23:59']) assert.ok(isLocalTime(text), text);
    for (const text of ['24:00', '9:30', '09:60', '109:30', '09:300', ' 09:30', '09:30\n', '']) {
      assert.ok(!isLocalTime(text), text);
    }
  });

  it('a moment has the day, the weekday and the minute that the zone’s clocks show', () => {
    // 2026-11-16 is a Monday.
    for (const [days, weekday] of ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].entries()) {
      const at = Date.parse('2026-11-16T02:59:59.999Z') + days * 86_400_000;
      const day = `2026-11-${16 + days}`;
      assert.deepEqual(localMoment(at, 'UTC'), { weekday, time: '02:59', day });
      const before = {
        weekday: WEEKDAYS[(days + 6) % 7],
        time: '23:59',
        day: `2026-11-${15 + days}`,
      };
      assert.deepEqual(localMoment(at, ORG.timeZone), before);
      assert.equal(localMoment(at + 1, ORG.timeZone).time, '00:00');
      const next = nextLocalTime({ time: '02:59', weekdays: [WEEKDAYS[days] ?? 'mon'] }, at, 'UTC');
      assert.equal(next - at, 7 * 86_400_000 - 59_999, 'a week later');
    }
  });

  it('days are counted by the calendar of the zone', () => {
    const at = Date.parse('2026-12-31T02:30:00Z');
    assert.equal(dayAfter(at, 0, ORG.timeZone), '2026-12-30');
    assert.equal(dayAfter(at, 3, ORG.timeZone), '2027-01-02');
    assert.equal(dayAfter(at, 3, 'UTC'), '2027-01-03');
  });

  it('a time that a clock change skips moves forward', () => {
    const after = Date.parse('2026-03-28T20:00:00Z');
    const at = nextLocalTime({ time: '02:30' }, after, 'Europe/Lisbon');
    assert.equal(new Date(at).toISOString(), '2026-03-29T01:30:00.000Z');
    const skipped = nextLocalTime({ time: '01:30' }, after, 'Europe/Lisbon');
    assert.equal(new Date(skipped).toISOString(), '2026-03-29T01:30:00.000Z');
  });

  it('a time that a clock change repeats comes once, the first time', () => {
    const table = [
      ['Europe/Lisbon', '01:30', '2026-10-24T20:00:00Z', '2026-10-25T00:30:00.000Z'],
      ['America/New_York', '01:00', '2026-10-31T20:00:00Z', '2026-11-01T05:00:00.000Z'],
      // Between the two, and at the first: the next day's.
      ['Europe/Lisbon', '01:30', '2026-10-25T01:00:00Z', '2026-10-26T01:30:00.000Z'],
      ['Europe/Lisbon', '01:30', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
    ] as const;
    for (const [zone, time, after, expected] of table) {
      const at = nextLocalTime({ time }, Date.parse(after), zone);
      assert.equal(new Date(at).toISOString(), expected, `${zone} ${time} after ${after}`);
    }
  });
});

describe('triggers', () => {
  const entry = (ref: string, more: Partial<FlowEntry> = {}): FlowEntry => ({
    id: ref,
    ref,
    name: ref,
    enabled: true,
    channelId: null,
    isMain: false,
    triggers: [],
    steps: [],
    updatedAt: 0,
    ...more,
  });
  const keyword = (match: string, word: string) => ({ on: 'keyword', keyword: word, match });
  const flows = [
    entry('off', { enabled: false, triggers: [keyword('exact', 'oi')] }),
    entry('contains', { triggers: [keyword('contains', 'preço')] }),
    entry('starts', { triggers: [keyword('starts', 'pedido')] }),
    entry('exact', { triggers: [{ on: 'keyword', keyword: 'Preço' }] }),
    entry('first', { triggers: [{ on: 'first-message' }] }),
    entry('main', { isMain: true }),
    entry('main-here', { isMain: true, channelId: 'chn_1' }),
    entry('vip', { triggers: [{ on: 'tag', tag: 'VIP' }] }),
  ];
  const table = [
    ['preco', false, 'chn_1', 'exact'],
    ['qual o PREÇO?', false, 'chn_1', 'contains'],
    ['Pedido 12, que preço?', false, 'chn_1', 'starts'],
    ['oi', true, 'chn_1', 'first'],
    ['oi', false, 'chn_1', 'main-here'],
    ['oi', false, 'chn_2', 'main'],
    [null, false, 'chn_2', 'main'],
    ['meu pedido', false, 'chn_2', 'main'],
    [null, true, 'chn_2', 'first'],
  ] as const;
  for (const [text, first, channelId, expected] of table) {
    it(`"${text}" in ${channelId}${first ? ', the first,' : ''} starts ${expected}`, () => {
      assert.equal(flowForMessage(flows, { text, first, channelId })?.ref, expected);
    });
  }

  it('among equals the file’s order decides', () => {
    const equal = ['a', 'b'].map((ref) =>
      entry(ref, {
        triggers: [keyword('contains', 'preço'), { on: 'first-message' }],
        isMain: true,
      }),
    );
    for (const [text, first] of [
      ['que preço?', false],
      [null, true],
      ['oi', false],
    ] as const) {
      assert.equal(flowForMessage(equal, { text, first, channelId: 'chn_1' })?.ref, 'a');
    }
  });

  it('a message without text starts no keyword’s flow, and a flow that has gone is none', () => {
    const message = { text: null, first: false, channelId: 'chn_1' };
    for (const word of ['a', '\u0301']) {
      const keyed = [entry('keyed', { triggers: [keyword('contains', word)] })];
      assert.equal(flowForMessage(keyed, message), null, word);
    }
    const gone = [
      entry('gone', { isMain: true, removed: true, triggers: [{ on: 'tag', tag: 'x' }] }),
    ];
    assert.equal(flowForMessage(gone, message), null);
    assert.deepEqual(flowsForTags(gone, ['x']), []);
  });

  it('a tag starts the flows that wait for it, whatever its case', () => {
    assert.deepEqual(
      flowsForTags(flows, ['x', 'vip']).map(({ ref }) => ref),
      ['vip'],
    );
    assert.deepEqual(flowsForTags(flows, []), []);
  });
});
