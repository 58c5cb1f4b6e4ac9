/** Names in the flows of a file: where they lead, and what they keep from being removed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideApply } from '../../../../actors/domain/organization/apply.ts';
import { tagsToCheck } from '../../../../actors/domain/organization/references.ts';
import type { OrganizationState } from '../../../../actors/domain/organization/state.ts';
import {
  applied,
  applyOf,
  contextAt,
  LOJA,
  NOW,
  named,
} from '../../../support/actors/domain/organization-fixture.ts';
import { MAIN, SHOP } from '../../../support/example-file.ts';

const END = { id: 'end', do: 'end' };

function flow(ref: string, more: object) {
  return { ref, name: ref, steps: [{ id: 'a', next: 'end', ...more }, END] };
}

/** Problems of a file, each with its path. */
function problems(lists: object, state: OrganizationState | null = null): readonly string[] {
  const decision = decideApply(
    state,
    applyOf({ ref: 'loja', name: 'Loja', ...lists }),
    contextAt(NOW),
  );
  if (!('refused' in decision)) return [];
  return decision.refused.map(({ path, message }) => `${path} ${message}`);
}

const ANA = { ref: 'ana', name: 'Ana' };
const BIA = { ref: 'bia', name: 'Bia' };
const assign = (member: string) => ({ do: 'assign', member });
const noMember = (name: string, others: string) =>
  `flows.0.steps.0.member flow "f", step "a", member: names no member "${name}"; ${others}`;

describe('entries that a flow may name', () => {
  it('each is there once, whether it is stored, new or said again', () => {
    const wrong = { flows: [flow('f', assign('xxxxxx'))] };
    const there = 'there are: ana, bia';
    const state = applied({ ref: 'loja', name: 'Loja', members: [ANA, BIA] });
    const table: readonly (readonly [object[], OrganizationState | null])[] = [
      [[ANA, BIA], null],
      [[], state],
      [[ANA], state],
      [[{ ...ANA, name: 'Ana S.' }, BIA], state],
      [[BIA], applied({ ref: 'loja', name: 'Loja', members: [ANA] })],
    ];
    for (const [members, before] of table) {
      assert.deepEqual(problems({ ...wrong, members }, before), [noMember('xxxxxx', there)]);
    }
  });

  it('one that the file removes is none, though it was never there', () => {
    const zoe = [{ ref: 'zoe', remove: true }];
    assert.deepEqual(problems({ flows: [flow('f', assign('zoe'))], members: zoe }), [
      noMember('zoe', 'there are none'),
    ]);
  });

  it('one that another problem prevents is there, beside the others', () => {
    const state = applied({ ref: 'loja', name: 'Loja', members: [BIA] });
    const lists = { flows: [flow('f', assign('ana'))], members: [{ ref: 'ana' }] };
    assert.deepEqual(problems(lists, state), ['members.0.name is required for a new entry']);
    const said = { ...lists, members: [{ ref: 'ana', remove: false }] };
    assert.deepEqual(problems(said, state), ['members.0.name is required for a new entry']);
  });

  it('so is one that comes again after its removal', () => {
    const before = applied({ ref: 'loja', name: 'Loja', members: [ANA, BIA] });
    const gone = { ref: 'loja', name: 'Loja', members: [{ ref: 'ana', remove: true }] };
    const lists = { flows: [flow('f', assign('ana'))], members: [{ ref: 'ana' }] };
    assert.deepEqual(problems(lists, applied(gone, before)), [
      'members.0.name is required for a new entry',
    ]);
  });

  it('steps that are none name nothing, and keep no other from being checked', () => {
    const steps = [null, 'text', 7, { id: 'a', ...assign('zoe'), next: 'end' }, END];
    const found = problems({ flows: [{ ref: 'f', name: 'F', steps }] });
    assert.deepEqual(
      found.map((each) => each.split(' ')[0]),
      ['flows.0.steps.0', 'flows.0.steps.1', 'flows.0.steps.2', 'flows.0.steps.3.member'],
    );
  });
});

describe('the network of a flow’s only channel', () => {
  const template = { name: 'hello', language: 'pt_BR' };
  const greeting = (channel?: string) => ({
    ...flow('f', { do: 'send', template }),
    ...(channel === undefined ? {} : { channel }),
  });
  const refused = [
    'flows.0.steps.0.template flow "f", step "a", template: a web channel, the only one of this flow, sends no template message',
  ];

  it('has templates unless it is the web one', () => {
    const channels = [MAIN, SHOP];
    assert.deepEqual(problems({ channels, flows: [greeting()] }), []);
    assert.deepEqual(problems({ channels, flows: [greeting('main')] }), []);
    assert.deepEqual(problems({ channels, flows: [greeting('shop')] }), refused);
  });

  it('is that of the stored channel where the file does not say it', () => {
    const text = (channel: string) => ({ ...flow('f', { do: 'send', text: 'x' }), channel });
    for (const [channel, found] of [
      ['main', []],
      ['shop', refused],
    ] as const) {
      const state = applied({ ...LOJA, flows: [text(channel)] });
      assert.deepEqual(problems({ flows: [greeting()] }, state), found, channel);
    }
  });
});

describe('tags that are looked up before an apply', () => {
  it('are those of flows that stay, each once', () => {
    const tagging = flow('f', { do: 'tag', tags: ['vip', 'vip'] });
    const of = (more: object) => tagsToCheck({ ref: 'o', flows: [{ ...tagging, ...more }] });
    assert.deepEqual(of({}), ['vip']);
    assert.deepEqual(of({ remove: false }), ['vip']);
    assert.deepEqual(of({ remove: true }), []);
  });

  it('are none of what is no organization', () => {
    assert.deepEqual(tagsToCheck(null), []);
    assert.deepEqual(tagsToCheck('loja'), []);
  });
});

describe('an entry that is removed', () => {
  const gone = (ref: string) => [{ ref, remove: true }];
  const said = 'cannot be removed: it is named by';

  it('is told with all that names it', () => {
    const flows = [flow('one', assign('ana')), flow('two', assign('ana'))];
    const state = applied({ ref: 'loja', name: 'Loja', members: [ANA], flows });
    assert.deepEqual(problems({ members: gone('ana') }, state), [
      `members.0.remove "ana" ${said} flow "one", step "a", member; flow "two", step "a", member`,
    ]);
  });

  it('is named by its ref, or by its id', () => {
    const state = applied({ ref: 'loja', name: 'Loja', members: [ANA, BIA] });
    const { id } = named(state.members, 'ana');
    for (const name of ['ana', id]) {
      const naming = applied({ ref: 'loja', flows: [flow('f', assign(name))] }, state);
      assert.deepEqual(problems({ members: gone('ana') }, naming), [
        `members.0.remove "ana" ${said} flow "f", step "a", member`,
      ]);
      assert.deepEqual(problems({ members: gone('bia') }, naming), []);
    }
  });

  it('is of its own list: an entry of another list with that ref is not meant', () => {
    const members = [{ ref: 'logo', name: 'Logo' }];
    const flows = [flow('f', assign('logo'))];
    const state = applied({ ...LOJA, members, flows });
    assert.deepEqual(problems({ files: gone('logo') }, state), []);
    assert.deepEqual(problems({ members: gone('logo') }, state), [
      `members.0.remove "logo" ${said} flow "f", step "a", member`,
    ]);
  });

  it('is removed again without a problem, though a flow still names it', () => {
    const state = applied({
      ...{ ref: 'loja', name: 'Loja', members: [ANA] },
      flows: [flow('f', assign('ana'))],
    });
    const members = state.members.map((each) => ({ ...each, removed: true }));
    assert.deepEqual(problems({ members: gone('ana') }, { ...state, members }), []);
  });
});
