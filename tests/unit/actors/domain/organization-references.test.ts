/** References between entries of an organization, checked on its state after the whole file. */
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
} from '../../../support/actors/domain/organization-fixture.ts';

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
  const command = applyOf({ ref: 'loja', name: 'Loja', ...lists });
  const decision = decideApply(state, command, contextAt(NOW, {}, tags));
  if (!('refused' in decision)) return [];
  return decision.refused.map(({ path, message }) => `${path} ${message}`);
}

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
    const handoff = {
      flows: [{ ref: 'f', name: 'f', steps: [{ id: 'a', do: 'handoff', member: 'zoe' }] }],
    };
    assert.match(problems(handoff)[0] ?? '', /^flows\.0\.steps\.0\.member /);
    assert.match(one({ do: 'task', title: 'T', assignee: 'zoe' })[0] ?? '', /steps\.0\.assignee /);
    assert.match(one({ do: 'send', file: 'x' })[0] ?? '', /names no file "x"; there are none$/);
    const over = (ref: string) => ({
      flows: [
        { ref: 'a', name: 'A', steps: [{ id: 's', do: 'start', flow: ref }] },
        flow('b', step('a', { do: 'send', text: 'x' })),
      ],
    });
    assert.deepEqual(problems(over('b')), []);
    assert.match(
      problems(over('c'))[0] ?? '',
      /flow "a", step "s", flow: names no flow "c"; there are: a, b/,
    );
  });

  it('what another problem of the file keeps from being made is not told twice', () => {
    assert.deepEqual(one({ do: 'assign', member: 'ana' }, { members: [{ ref: 'ana' }] }), [
      'members.0.name is required for a new entry',
    ]);
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
    const paths = problems({ flows: [named] }).map((each) => each.split(' ')[0]);
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
    assert.deepEqual(
      found.map((each) => each.split(' ')[0]),
      ['flows.0.steps.3', 'flows.0.steps.1.text', 'flows.0.steps.2.tags.1'],
    );
    const wrong = [steps[0], steps[1], steps[2], END];
    const paths = problems({ flows: [{ ref: 'f', name: 'F', steps: wrong }] }, null, ['vip']);
    assert.deepEqual(
      paths.map((each) => each.split(' ')[0]),
      [...['flows.0.steps.2.next', 'flows.0.steps.1.text', 'flows.0.steps.2.tags.1']],
    );
  });

  it('variables and answers, wherever a step has a template or a condition', () => {
    assert.match(
      one({ do: 'send', text: 'Olá {{contact.nme}}, {{contact.nme}}' }).join('\n'),
      /^flows\.0\.steps\.0\.text flow "f", step "a", text: names no variable "contact\.nme"; .*"contact\.name"\?$/,
    );
    assert.match(one({ do: 'set', fields: { x: '{{org.nam}}' } })[0] ?? '', /steps\.0\.fields\.x /);
    assert.match(
      one({ ...DEAL, title: '{{answers.x}}' })[0] ?? '',
      /steps\.0\.title .*there are none/,
    );
    const http = { do: 'http', url: 'https://x.example', saveAs: 'order' };
    assert.deepEqual(one({ ...http, body: '{{answers.order.a.b}}' }), []);
    const asks = (answer: string) => ({
      flows: [
        flow(
          'f',
          { id: 'w', do: 'wait', saveAs: 'day', next: 'c' },
          {
            id: 'c',
            do: 'choose',
            cases: [{ when: { answer, exists: true }, next: 'end' }],
            else: 'end',
          },
        ),
      ],
    });
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
    const said = 'cannot be removed: it is named by';
    assert.deepEqual(problems({ members: gone('ana') }, state), [
      `members.0.remove "ana" ${said} flow "one", step "a", member`,
    ]);
    assert.deepEqual(problems({ files: gone('logo') }, state), [
      `files.0.remove "logo" ${said} flow "three", step "f", file`,
    ]);
    assert.deepEqual(problems({ flows: gone('one') }, state), [
      `flows.0.remove "one" ${said} flow "two", step "s", flow`,
    ]);
    assert.deepEqual(problems({ tags: gone('VIP') }, state), [
      `tags.0.remove "VIP" ${said} flow "one", triggers.0.tag`,
    ]);
    assert.deepEqual(problems({ channels: gone('shop') }, state), [
      `channels.0.remove "shop" ${said} key "shop-key"`,
    ]);
    assert.deepEqual(problems({ channels: gone('main') }, state), [
      `channels.0.remove "main" ${said} flow "one", channel`,
    ]);
  });

  it('together with all that names it, it goes', () => {
    assert.deepEqual(
      problems({ flows: [...gone('one'), ...gone('two')], members: gone('ana') }, state),
      [],
    );
    assert.deepEqual(problems({ channels: gone('shop'), keys: gone('shop-key') }, state), []);
    const without = { ...flow('one'), channel: null, triggers: [] };
    const rest = {
      flows: [without],
      members: gone('ana'),
      tags: gone('vip'),
      channels: gone('main'),
    };
    assert.deepEqual(problems(rest, state), []);
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
    const paths = problems({ members: gone('ana'), flows: again }, state).map(
      (each) => each.split(' ')[0],
    );
    assert.deepEqual(paths, ['flows.0.steps.0.member', 'members.0.remove']);
  });
});

describe('a network number is one channel’s', () => {
  const cloud = (ref: string, network: object = {}) => ({
    ...{ ref, label: ref, provider: 'cloud', phone: '+55 11 4000-1000' },
    network: { phoneNumberId: '1', accessToken: 't', appSecret: 's', verifyToken: 'v', ...network },
  });
  const web = (ref: string, baseUrl: string) => ({
    ...{ ref, label: ref, provider: 'web', phone: '+55 11 4000-1000' },
    network: { baseUrl, session: 'default', apiKey: 'k', webhookSecret: 'w' },
  });

  it('within an organization, whatever the spelling of the address', () => {
    const twice = [
      cloud('a'),
      cloud('b', { baseUrl: 'https://GRAPH.facebook.com:443/', apiVersion: 'v1.0' }),
    ];
    assert.deepEqual(problems({ channels: twice }), [
      'channels.1.network.phoneNumberId is already that of channel "a"',
    ]);
    assert.deepEqual(problems({ channels: [cloud('a'), cloud('b', { baseUrl: 'sandbox' })] }), []);
    assert.deepEqual(problems({ channels: [cloud('a'), cloud('b', { phoneNumberId: '2' })] }), []);
    const bridge = 'http://bridge.example:3000';
    assert.deepEqual(problems({ channels: [web('a', bridge), web('b', `${bridge}/`)] }), [
      'channels.1.network.session is already that of channel "a"',
    ]);
    assert.deepEqual(problems({ channels: [web('a', bridge), web('b', `${bridge}/two`)] }), []);
  });

  it('only a channel that takes a number is judged; one that goes leaves it to another', () => {
    const state = applied({ ref: 'loja', name: 'Loja', channels: [cloud('a')] });
    assert.deepEqual(state.numbers, ['cloud https://graph.facebook.com 1']);
    const moved = { channels: [{ ref: 'a', remove: true }, cloud('b')] };
    assert.deepEqual(problems(moved, state), []);
    assert.deepEqual(applied({ ref: 'loja', ...moved }, state).numbers, state.numbers);
    assert.equal(
      applied({ ref: 'loja', channels: [{ ref: 'a', remove: true }] }, state).numbers,
      undefined,
    );
    assert.equal(applied({ ref: 'loja', remove: true }, state).numbers, undefined);
    // Of an earlier release: nothing is refused that was there before.
    const [first] = state.channels;
    assert.ok(first);
    const { numbers: _, ...older } = {
      ...state,
      channels: [first, { ...first, id: 'chn_b', ref: 'b' }],
    };
    assert.deepEqual(problems({ channels: [{ ref: 'b', label: 'B' }] }, older), []);
    assert.equal(problems({ channels: [cloud('c')] }, older).length, 1);
  });
});
