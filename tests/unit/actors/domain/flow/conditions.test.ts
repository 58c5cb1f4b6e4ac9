import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { beginRun } from '../../../../../actors/domain/flow/arrival.ts';
import {
  flowForMessage,
  flowsForTags,
  holds,
} from '../../../../../actors/domain/flow/conditions.ts';
import type { FlowEntry } from '../../../../../actors/domain/organization.ts';
import type { Condition } from '../../../../../shared/provisioning/flow-conditions.ts';
import {
  contextOf,
  flowOf,
  NOW,
  ORG,
} from '../../../../support/actors/conversation/flow/flow-fixture.ts';
import { pluck } from '../../../../support/pluck.ts';

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

it('a condition on a tag holds where one of the contact’s tags is that one', () => {
  const context = contextOf(flow);
  const holdsFor = (...tags: readonly string[]) =>
    holds({ tag: 'vip' }, run, { ...context, contact: { ...context.contact, tags } });
  assert.deepEqual([holdsFor('A', 'VIP', 'B'), holdsFor()], [true, false]);
});

const entry = (ref: string, more: Partial<FlowEntry> = {}): FlowEntry => ({
  ...{ id: ref, ref, name: ref, enabled: true, channelId: null, isMain: false },
  ...{ triggers: [], steps: [], updatedAt: 0, ...more },
});

describe('triggers', () => {
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
    const triggers = [keyword('contains', 'preço'), { on: 'first-message' }];
    const equal = ['a', 'b'].map((ref) => entry(ref, { triggers, isMain: true }));
    for (const [text, first] of [
      ['que preço?', false],
      [null, true],
      ['oi', false],
    ] as const) {
      assert.equal(flowForMessage(equal, { text, first, channelId: 'chn_1' })?.ref, 'a');
    }
  });

  it('an opened chat starts the main flow, where a message would start no other', () => {
    const opened = { text: null, channelId: 'chn_1', onlyMain: true } as const;
    const main = entry('main', { isMain: true });
    const greeting = entry('greeting', { triggers: [{ on: 'first-message' }] });
    for (const [known, first, expected] of [
      [[main], true, 'main'],
      [[main, greeting], true, undefined],
      [[main, greeting], false, 'main'],
      [[greeting], true, undefined],
    ] as const) {
      assert.equal(flowForMessage(known, { ...opened, first })?.ref, expected);
    }
  });

  it('a message without text starts no keyword’s flow, and a flow that has gone is none', () => {
    const message = { text: null, first: false, channelId: 'chn_1' };
    for (const word of ['a', '\u0301']) {
      const keyed = [entry('keyed', { triggers: [keyword('contains', word)] })];
      assert.equal(flowForMessage(keyed, message), null, word);
    }
    const triggers = [{ on: 'tag', tag: 'x' }];
    const gone = [entry('gone', { isMain: true, removed: true, triggers })];
    assert.equal(flowForMessage(gone, message), null);
    assert.deepEqual(flowsForTags(gone, ['x']), []);
  });

  it('a tag starts the flows that wait for it, whatever its case', () => {
    assert.deepEqual(pluck(flowsForTags(flows, ['x', 'vip']), 'ref'), ['vip']);
    assert.deepEqual(flowsForTags(flows, []), []);
  });
});

describe('the 24-hour window as a condition', () => {
  for (const [window, isOpen] of [
    ['open', true],
    ['undecided', true],
    ['closed', false],
  ] as const) {
    it(`${window} counts as ${isOpen ? 'open' : 'closed'}`, () => {
      const context = contextOf(flow, { window });
      assert.equal(holds({ window: 'open' }, run, context), isOpen);
      assert.equal(holds({ window: 'closed' }, run, context), !isOpen);
      assert.equal(holds({ not: { window: 'open' } }, run, context), !isOpen);
    });
  }
});

describe('triggers of buttons, places and reactions', () => {
  const on = (ref: string, trigger: object) =>
    entry(ref, { isMain: ref === 'main', triggers: [{ ...trigger }] });
  const flows = [
    on('main', { on: 'first-message' }),
    on('place', { on: 'location' }),
    on('word', { on: 'keyword', keyword: 'comprar' }),
    on('button', { on: 'button', id: 'buy' }),
    on('thumb', { on: 'reaction', emoji: '👍' }),
    on('heart', { on: 'reaction', emoji: '❤' }),
    on('any', { on: 'reaction' }),
  ];
  const started = (message: object) =>
    flowForMessage(flows, { channelId: 'chn_1', text: null, first: false, ...message })?.ref ??
    null;

  const table: readonly (readonly [string, object, string | null])[] = [
    ['a button precedes its title as a keyword', { text: 'Comprar', chosen: 'buy' }, 'button'],
    ['another button is its title', { text: 'Comprar', chosen: 'x' }, 'word'],
    ['another button of no keyword is a message', { text: 'Oi', chosen: 'x' }, 'main'],
    ['an id that somebody types presses no button', { text: 'buy' }, 'main'],
    ['a place', { text: 'Rua A', isLocation: true }, 'place'],
    ['a place precedes a first message', { isLocation: true, first: true }, 'place'],
    ['a keyword precedes a place', { text: 'comprar', isLocation: true }, 'word'],
    ['a reaction', { reaction: '👍' }, 'thumb'],
    ['a reaction in a skin tone', { reaction: '👍🏽' }, 'thumb'],
    ['a reaction between spaces', { reaction: ' 👍🏽\n' }, 'thumb'],
    ['a reaction of two', { reaction: '👍👍' }, 'any'],
    ['a reaction with a variation selector', { reaction: '❤️' }, 'heart'],
    ['another reaction', { reaction: '😂' }, 'any'],
    ['a reaction that is taken back', { reaction: '' }, null],
    ['a reaction is no first message', { reaction: '', first: true }, null],
  ];
  for (const [title, message, expected] of table) {
    it(`${title}: ${expected ?? 'nothing'}`, () => assert.equal(started(message), expected));
  }

  it('a reaction starts nothing where no flow waits for one', () => {
    const others = flows.filter(({ ref }) => !['thumb', 'heart', 'any'].includes(ref));
    const message = { channelId: 'chn_1', text: null, first: true, reaction: '👍' };
    assert.equal(flowForMessage(others, message), null);
  });

  it('a flow of the channel precedes one for any', () => {
    const own = { ...on('own', { on: 'button', id: 'buy' }), channelId: 'chn_1' };
    const press = { text: 'x', first: false, chosen: 'buy' };
    assert.equal(flowForMessage([...flows, own], { ...press, channelId: 'chn_1' })?.ref, 'own');
    assert.equal(flowForMessage([...flows, own], { ...press, channelId: 'chn_2' })?.ref, 'button');
  });
});

it('a choice is a condition on the name of an answer only', () => {
  for (const answer of ['pick', 'toString', 'constructor', '__proto__', 'pick.x']) {
    assert.equal(holds({ answer, chosen: 'sim' }, run, contextOf(flow)), false, answer);
  }
});

describe('the work of conditions', () => {
  it('reads the tags of a contact once, however many conditions ask for one', () => {
    let read = 0;
    const names = Array.from({ length: 100 }, (_, at) => `tag ${at}`);
    const tags = new Proxy(names, {
      get(target, name, receiver) {
        read += Number(typeof name === 'string' && /^\d+$/.test(name));
        return Reflect.get(target, name, receiver);
      },
    });
    const context = contextOf(flow);
    const tagged = { ...context, contact: { ...context.contact, tags } };
    for (let at = 0; at < 20; at += 1) assert.equal(holds({ tag: 'TAG 99' }, run, tagged), true);
    assert.equal(read, names.length);
  });

  it('is counted for the texts of the condition and of the answer', () => {
    const long = 'x'.repeat(500);
    const spentBy = (condition: Condition) => {
      const context = contextOf(flow);
      holds(condition, { ...run, answers: { long: long.repeat(8) } }, context);
      return context.budget.spent;
    };
    const short = spentBy({ answer: 'long', equals: 'x' });
    assert.ok(spentBy({ answer: 'long', contains: long }) >= short + 9);
    assert.ok(spentBy({ answer: 'long', in: Array.from({ length: 100 }, () => long) }) > 1_000);
    assert.ok(spentBy({ answer: 'long', exists: true }) > 80);
  });
});
