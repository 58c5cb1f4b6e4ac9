/** Names that a flow refers to, with their paths, and the steps as a version of it keeps them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileSteps, referencesOf } from '../../../../../actors/domain/flow/references.ts';
import { FLOW_CONDITION_DEPTH_MAX } from '../../../../../shared/limits.ts';
import { applied, LOJA, named } from '../../../../support/actors/domain/organization-fixture.ts';

const fileAt = (path: string) => ({ kind: 'file', name: 'logo', path });
const vipAt = (path: string) => ({ kind: 'tag', name: 'vip', path, loose: true });

/** References of a `choose` step with one case. */
function referencesWhen(when: unknown) {
  return referencesOf({ steps: [{ do: 'choose', cases: [{ when }] }] });
}

describe('references of a flow', () => {
  it('are files in the headers of both templates', () => {
    const headed = { name: 'pedido', header: { file: 'logo' } };
    const step = { do: 'send', template: headed, fallbackTemplate: headed };
    assert.deepEqual(referencesOf({ steps: [step] }), [
      fileAt('steps.0.template.header.file'),
      fileAt('steps.0.fallbackTemplate.header.file'),
    ]);
  });

  it('are tags of the triggers that wait for a tag', () => {
    const triggers = [
      { on: 'keyword', keyword: 'oi', tag: 'vip' },
      { on: 'tag', tag: 'vip' },
    ];
    assert.deepEqual(referencesOf({ triggers }), [vipAt('triggers.1.tag')]);
  });

  it('are stages of the steps on deals', () => {
    const steps = ['send', 'deal'].map((action) => ({ do: action, stage: 'Novo' }));
    const stage = { kind: 'stage', name: 'Novo', path: 'steps.1.stage' };
    assert.deepEqual(referencesOf({ steps }), [stage]);
  });

  it('are no values of another shape', () => {
    const steps = [
      { do: 'assign', member: null },
      { do: 'tag', tags: 'vip' },
      { do: 'send', template: 'logo' },
      { do: 'send', template: { header: ['logo'] } },
      { do: 'choose', cases: [null, 'vip', { when: [{ tag: 'vip' }] }] },
    ];
    assert.deepEqual(referencesOf({ triggers: [{ on: 'tag', tag: 7 }], steps }), []);
    assert.deepEqual(referencesOf({}), []);
  });
});

describe('references of nested conditions', () => {
  const NESTED: readonly (readonly [string, (inner: unknown) => object])[] = [
    ['all.0', (inner) => ({ all: [inner] })],
    ['any.1', (inner) => ({ any: [null, inner] })],
    ['not', (inner) => ({ not: inner })],
  ];
  for (const [name, around] of NESTED) {
    const nested = (depth: number): unknown =>
      Array.from({ length: depth }).reduce(around, { tag: 'vip' });

    it(`are found through "${name}" as deep as conditions may be, and no deeper`, () => {
      for (const depth of [0, 1, FLOW_CONDITION_DEPTH_MAX]) {
        const path = ['steps.0.cases.0.when', ...Array.from({ length: depth }, () => name), 'tag'];
        assert.deepEqual(referencesWhen(nested(depth)), [vipAt(path.join('.'))], `${depth}`);
      }
      assert.deepEqual(referencesWhen(nested(FLOW_CONDITION_DEPTH_MAX + 1)), []);
    });
  }

  it('are answers and choices, too', () => {
    const path = 'steps.0.cases.0.when';
    assert.deepEqual(referencesWhen({ answer: 'pick', chosen: 'sim' }), [
      { kind: 'answer', name: 'pick', path: `${path}.answer` },
      { kind: 'choice', name: 'sim', path: `${path}.chosen` },
    ]);
  });
});

describe('steps of a version', () => {
  const state = applied(LOJA);
  const logo = named(state.files, 'logo').id;
  const compile = (step: Readonly<Record<string, unknown>>) =>
    compileSteps({ ...named(state.flows, 'welcome'), steps: [step] }, state);

  it('have the ids of the files in the headers of both templates', () => {
    const template = { name: 'pedido', language: 'pt_BR', body: ['77'] };
    const headed = (file: string) => ({ ...template, header: { file } });
    const step = { id: 'a', do: 'send', text: 'x', next: null };
    const sending = (file: string) => {
      return { ...step, template: headed(file), fallbackTemplate: headed(file) };
    };
    assert.deepEqual(compile(sending('logo')), [sending(logo)]);
    const unknown = { ...step, template: headed('gone') };
    assert.deepEqual(compile(unknown), [unknown]);
  });

  it('keep a template without a file as it is written', () => {
    const titled = { name: 'pedido', language: 'pt_BR', header: { text: '{{org.name}}' } };
    const step = { id: 'a', do: 'send', template: titled, next: null };
    assert.deepEqual(compile(step), [step]);
  });

  it('keep an id in place of a ref', () => {
    const step = { id: 'a', do: 'send', file: logo, next: null };
    assert.deepEqual(compile(step), [step]);
  });
});

describe('steps as runs take them', () => {
  const state = applied({
    ...LOJA,
    members: [...LOJA.members, { ref: 'bia', name: 'Bia' }],
    flows: [...LOJA.flows, { ref: 'other', name: 'Outro', steps: [{ id: 'end', do: 'end' }] }],
  });
  const compile = (...steps: readonly object[]) =>
    compileSteps({ ...named(state.flows, 'welcome'), steps: steps as never }, state);

  it('name members, flows and files by their ids, and keep all else', () => {
    const bia = named(state.members, 'bia').id;
    const naming = (member: string, file: string, flow: string) => [
      { id: 'a', do: 'assign', member, next: 'b' },
      { id: 'b', do: 'task', title: 'T', assignee: member, next: 'c' },
      { id: 'c', do: 'send', file, next: 'd' },
      { id: 'd', do: 'start', flow },
    ];
    const { id: file } = named(state.files, 'logo');
    const { id: flow } = named(state.flows, 'other');
    assert.deepEqual(compile(...naming('bia', 'logo', 'other')), naming(bia, file, flow));
  });

  it('what names nobody stays as it is', () => {
    const steps = [
      { id: 'a', do: 'assign', member: 'stranger', next: 'b' },
      { id: 'b', do: 'assign', member: null, next: 'b' },
    ];
    assert.deepEqual(compile(...steps), steps);
  });
});
