import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tagsToCheck } from '../../../../../actors/domain/organization/references.ts';
import type { OrganizationState } from '../../../../../actors/domain/organization.ts';
import {
  applied,
  contextAt,
  LOJA,
  NOW,
  named,
  problemsOf,
} from '../../../../support/actors/domain/organization-fixture.ts';
import { MAIN, SHOP } from '../../../../support/example-file.ts';

const END = { id: 'end', do: 'end' };

function flow(ref: string, ...steps: readonly object[]) {
  return { ref, name: ref, steps: [...steps, END] };
}

function step(id: string, more: object) {
  return { id, next: 'end', ...more };
}

function problems(
  lists: object,
  state: OrganizationState | null = null,
  tags: readonly string[] = [],
): readonly string[] {
  return problemsOf({ ref: 'loja', name: 'Loja', ...lists }, state, contextAt(NOW, {}, tags));
}

const pathsOf = (found: readonly string[]) => found.map((each) => each.split(' ')[0]);
const DEAL = { do: 'deal', action: 'create', title: 'T' };

describe('a flow names only what can exist', () => {
  const one = (more: object, lists: object = {}, tags: readonly string[] = []) =>
    problems({ flows: [flow('f', step('a', more))], ...lists }, null, tags);
  const ana = { members: [{ ref: 'ana', name: 'Ana' }] };

  it('a stage by name or id; those of the default pipeline are there before its first read', () => {
    assert.deepEqual(one({ ...DEAL, stage: ' proposta' }), []);
    assert.deepEqual(one({ ...DEAL, stage: 'Propostas' }), [
      'flows.0.steps.0.stage flow "f", step "a", stage: names no stage "Propostas"; there are: Novo, Em contato, Proposta, Negociação; did you mean "Proposta"?',
    ]);
    const stages = [{ id: 'stg_x', name: 'Fechamento' }];
    const pipelines = [{ id: 'pip', name: 'P', isDefault: true, stages }];
    const state = { ...applied({ ref: 'loja', name: 'Loja' }), pipelines };
    const moved = (stage: string) =>
      problems({ flows: [flow('f', step('a', { ...DEAL, stage }))] }, state).length;
    assert.deepEqual(['fechamento', 'stg_x', 'Novo'].map(moved), [0, 0, 1]);
  });

  it('members, files and flows that the same file brings, or that are stored', () => {
    assert.deepEqual(one({ do: 'assign', member: 'ana' }, ana), []);
    assert.deepEqual(one({ do: 'assign', member: null }), []);
    assert.match(one({ do: 'assign', member: 'anna' }, ana)[0] ?? '', /did you mean "ana"\?$/);
    const steps = [{ id: 'a', do: 'handoff', member: 'zoe' }];
    const [problem] = problems({ flows: [{ ref: 'f', name: 'f', steps }] });
    assert.match(problem ?? '', /^flows\.0\.steps\.0\.member /);
    assert.match(one({ do: 'task', title: 'T', assignee: 'zoe' })[0] ?? '', /steps\.0\.assignee /);
    assert.match(one({ do: 'send', file: 'x' })[0] ?? '', /names no file "x"; there are none$/);
    const over = (ref: string) => ({
      flows: [
        { ref: 'a', name: 'A', steps: [{ id: 's', do: 'start', flow: ref }] },
        flow('b', step('a', { do: 'send', text: 'x' })),
      ],
    });
    assert.deepEqual(problems(over('b')), []);
    const names = /flow "a", step "s", flow: names no flow "c"; there are: a, b/;
    assert.match(problems(over('c'))[0] ?? '', names);
  });

  it('tags that the file adds or that are stored, in triggers, steps and conditions', () => {
    const when = { all: [{ not: { tag: 'cafe' } }, { any: [{ tag: 'VIP' }, { optIn: true }] }] };
    const named = {
      ...flow('f', step('a', { do: 'tag', tags: ['vip', 'Lead'] }), END),
      triggers: [{ on: 'tag', tag: 'CAFÉ' }],
      steps: [
        { id: 'a', do: 'tag', tags: ['vip', 'Lead'], next: 'b' },
        { id: 'b', do: 'choose', cases: [{ when, next: 'c' }], else: 'end' },
        { id: 'c', do: 'untag', tags: ['lead'], next: 'end' },
        END,
      ],
    };
    assert.deepEqual(problems({ tags: ['vip', 'Café', 'lead'], flows: [named] }), []);
    assert.deepEqual(problems({ tags: ['vip'], flows: [named] }, null, ['Café', 'Lead']), []);
    const paths = pathsOf(problems({ flows: [named] }));
    assert.deepEqual(
      paths,
      [
        'flows.0.triggers.0.tag',
        'flows.0.steps.0.tags.0',
        'flows.0.steps.0.tags.1',
        'flows.0.steps.1.cases.0.when.all.1.any.0.tag',
        'flows.0.steps.1.cases.0.when.all.0.not.tag',
        'flows.0.steps.2.tags.0',
      ].toSorted((a, b) => paths.indexOf(a) - paths.indexOf(b)),
    );
    assert.deepEqual(tagsToCheck({ ref: 'o', tags: ['VIP'], flows: [named] }), [
      ...['CAFÉ', 'Lead', 'cafe', 'lead'],
    ]);
    assert.deepEqual(one({ do: 'tag', tags: ['vpi'] }, { tags: ['vip'] }), [
      'flows.0.steps.0.tags.0 flow "f", step "a", tags.0: names no tag "vpi"; there are: vip; did you mean "vip"? (new ones are declared in the organization\'s tags)',
    ]);
    // A step writes the tag as it is given, accents and all.
    assert.equal(one({ do: 'tag', tags: ['cafe'] }, { tags: ['Café'] }).length, 1);
    const gone = { tags: [{ ref: 'vip', remove: true }] };
    assert.equal(one({ do: 'tag', tags: ['vip'] }, gone, ['vip']).length, 2);
  });

  it('also beside a step that is wrong, which says nothing of what the others keep', () => {
    const steps = [
      { id: 'a', do: 'wait', saveAs: 'day', next: 'b' },
      { id: 'b', do: 'send', text: '{{answers.day}} {{contact.nme}}', next: 'c' },
      { id: 'c', do: 'tag', tags: ['vip', 'vpi'], next: 'nowhere' },
      'no step',
    ];
    const found = problems({ tags: ['vip'], flows: [{ ref: 'f', name: 'F', steps }] });
    assert.deepEqual(pathsOf(found), [
      ...['flows.0.steps.3', 'flows.0.steps.1.text', 'flows.0.steps.2.tags.1'],
    ]);
    const wrong = [steps[0], steps[1], steps[2], END];
    const beside = problems({ flows: [{ ref: 'f', name: 'F', steps: wrong }] }, null, ['vip']);
    assert.deepEqual(pathsOf(beside), [
      ...['flows.0.steps.2.next', 'flows.0.steps.1.text', 'flows.0.steps.2.tags.1'],
    ]);
  });

  it('variables and answers, wherever a step has a template or a condition', () => {
    assert.match(
      one({ do: 'send', text: 'Olá {{contact.nme}}, {{contact.nme}}' }).join('\n'),
      /^flows\.0\.steps\.0\.text flow "f", step "a", text: names no variable "contact\.nme"; .*"contact\.name"\?$/,
    );
    assert.match(one({ do: 'set', fields: { x: '{{org.nam}}' } })[0] ?? '', /steps\.0\.fields\.x /);
    const [untold] = one({ ...DEAL, title: '{{answers.x}}' });
    assert.match(untold ?? '', /steps\.0\.title .*there are none/);
    const http = { do: 'http', url: 'https://x.example', saveAs: 'order' };
    assert.deepEqual(one({ ...http, body: '{{answers.order.a.b}}' }), []);
    const wait = { id: 'w', do: 'wait', saveAs: 'day', next: 'c' };
    const asks = (answer: string) => {
      const cases = [{ when: { answer, exists: true }, next: 'end' }];
      return { flows: [flow('f', wait, { id: 'c', do: 'choose', cases, else: 'end' })] };
    };
    assert.deepEqual(problems(asks('day')), []);
    assert.deepEqual(problems(asks('dya')), [
      'flows.0.steps.1.cases.0.when.answer flow "f", step "c", cases.0.when.answer: names no variable "answers.dya"; there are: answers.day; did you mean "answers.day"?',
    ]);
    assert.match(problems(asks('day.hour'))[0] ?? '', /nothing lies in "answers\.day"$/);
  });
});

describe('what is named is not taken away', () => {
  const lists = {
    ...LOJA,
    members: [{ ref: 'ana', name: 'Ana' }],
    flows: [
      {
        ...flow('one', step('a', { do: 'assign', member: 'ana' })),
        channel: 'main',
        triggers: [{ on: 'tag', tag: 'vip' }],
      },
      { ref: 'two', name: 'Two', steps: [{ id: 's', do: 'start', flow: 'one' }] },
      flow('three', step('f', { do: 'send', file: 'logo' })),
    ],
  };
  const state = applied(lists);
  const gone = (ref: string) => [{ ref, remove: true }];

  it('the problem names what names it, and stands where it is removed', () => {
    const rows = [
      ['members', 'ana', 'flow "one", step "a", member'],
      ['files', 'logo', 'flow "three", step "f", file'],
      ['flows', 'one', 'flow "two", step "s", flow'],
      ['tags', 'VIP', 'flow "one", triggers.0.tag'],
      ['channels', 'shop', 'key "shop-key"'],
      ['channels', 'main', 'flow "one", channel'],
    ] as const;
    for (const [list, ref, names] of rows) {
      const said = `${list}.0.remove "${ref}" cannot be removed: it is named by ${names}`;
      assert.deepEqual(problems({ [list]: gone(ref) }, state), [said]);
    }
  });

  it('together with all that names it, it goes', () => {
    const both = { flows: [...gone('one'), ...gone('two')], members: gone('ana') };
    assert.deepEqual(problems(both, state), []);
    assert.deepEqual(problems({ channels: gone('shop'), keys: gone('shop-key') }, state), []);
    const without = { ...flow('one'), channel: null, triggers: [] };
    const rest = { members: gone('ana'), tags: gone('vip'), channels: gone('main') };
    assert.deepEqual(problems({ flows: [without], ...rest }, state), []);
    assert.deepEqual(problems({ remove: true }, state), []);
  });

  it('a flow that the file says again as it is stored is not judged anew', () => {
    const stages = [{ id: 'stg_x', name: 'X' }];
    const pipelines = [{ id: 'pip', name: 'P', isDefault: true, stages }];
    const deals = flow('deals', step('a', { ...DEAL, stage: 'Novo' }));
    const older = { ...applied({ ...lists, flows: [deals] }), pipelines };
    assert.deepEqual(problems({ flows: [deals] }, older), []);
    assert.equal(problems({ flows: [{ ...deals, enabled: false }] }, older).length, 1);
  });

  it('a changed flow that names what its own file removes is told at both places', () => {
    const again = [{ ...flow('one', step('a', { do: 'assign', member: 'ana' })), enabled: false }];
    const paths = pathsOf(problems({ members: gone('ana'), flows: again }, state));
    assert.deepEqual(paths, ['flows.0.steps.0.member', 'members.0.remove']);
  });
});

const ANA = { ref: 'ana', name: 'Ana' };
const BIA = { ref: 'bia', name: 'Bia' };
const assign = (member: string) => ({ do: 'assign', member });
const noMember = (name: string, others: string) =>
  `flows.0.steps.0.member flow "f", step "a", member: names no member "${name}"; ${others}`;

describe('entries that a flow may name', () => {
  it('each is there once, whether it is stored, new or said again', () => {
    const wrong = { flows: [flow('f', step('a', assign('xxxxxx')))] };
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
    assert.deepEqual(problems({ flows: [flow('f', step('a', assign('zoe')))], members: zoe }), [
      noMember('zoe', 'there are none'),
    ]);
  });

  it('one that another problem prevents is there, beside the others', () => {
    const state = applied({ ref: 'loja', name: 'Loja', members: [BIA] });
    const lists = { flows: [flow('f', step('a', assign('ana')))], members: [{ ref: 'ana' }] };
    assert.deepEqual(problems(lists, state), ['members.0.name is required for a new entry']);
    const said = { ...lists, members: [{ ref: 'ana', remove: false }] };
    assert.deepEqual(problems(said, state), ['members.0.name is required for a new entry']);
  });

  it('so is one that comes again after its removal', () => {
    const before = applied({ ref: 'loja', name: 'Loja', members: [ANA, BIA] });
    const gone = { ref: 'loja', name: 'Loja', members: [{ ref: 'ana', remove: true }] };
    const lists = { flows: [flow('f', step('a', assign('ana')))], members: [{ ref: 'ana' }] };
    assert.deepEqual(problems(lists, applied(gone, before)), [
      'members.0.name is required for a new entry',
    ]);
  });

  it('steps that are none name nothing, and keep no other from being checked', () => {
    const steps = [null, 'text', 7, { id: 'a', ...assign('zoe'), next: 'end' }, END];
    const found = problems({ flows: [{ ref: 'f', name: 'F', steps }] });
    assert.deepEqual(pathsOf(found), [
      ...['flows.0.steps.0', 'flows.0.steps.1', 'flows.0.steps.2', 'flows.0.steps.3.member'],
    ]);
  });
});

describe('the network of a flow’s only channel', () => {
  const template = { name: 'hello', language: 'pt_BR' };
  const greeting = (channel?: string) => ({
    ...flow('f', step('a', { do: 'send', template })),
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
    const text = (channel: string) => ({
      ...flow('f', step('a', { do: 'send', text: 'x' })),
      channel,
    });
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
    const tagging = flow('f', step('a', { do: 'tag', tags: ['vip', 'vip'] }));
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
    const flows = [flow('one', step('a', assign('ana'))), flow('two', step('a', assign('ana')))];
    const state = applied({ ref: 'loja', name: 'Loja', members: [ANA], flows });
    assert.deepEqual(problems({ members: gone('ana') }, state), [
      `members.0.remove "ana" ${said} flow "one", step "a", member; flow "two", step "a", member`,
    ]);
  });

  it('is named by its ref, or by its id', () => {
    const state = applied({ ref: 'loja', name: 'Loja', members: [ANA, BIA] });
    const { id } = named(state.members, 'ana');
    for (const name of ['ana', id]) {
      const naming = applied({ ref: 'loja', flows: [flow('f', step('a', assign(name)))] }, state);
      assert.deepEqual(problems({ members: gone('ana') }, naming), [
        `members.0.remove "ana" ${said} flow "f", step "a", member`,
      ]);
      assert.deepEqual(problems({ members: gone('bia') }, naming), []);
    }
  });

  it('is of its own list: an entry of another list with that ref is not meant', () => {
    const members = [{ ref: 'logo', name: 'Logo' }];
    const flows = [flow('f', step('a', assign('logo')))];
    const state = applied({ ...LOJA, members, flows });
    assert.deepEqual(problems({ files: gone('logo') }, state), []);
    assert.deepEqual(problems({ members: gone('logo') }, state), [
      `members.0.remove "logo" ${said} flow "f", step "a", member`,
    ]);
  });

  it('is removed again without a problem, though a flow still names it', () => {
    const state = applied({
      ...{ ref: 'loja', name: 'Loja', members: [ANA] },
      flows: [flow('f', step('a', assign('ana')))],
    });
    const members = state.members.map((each) => ({ ...each, removed: true }));
    assert.deepEqual(problems({ members: gone('ana') }, { ...state, members }), []);
  });
});
