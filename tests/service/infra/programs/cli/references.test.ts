/**
 * `recado apply` and references (docs/flows.md, docs/operations.md): unknown names in a flow, and
 * entries that cannot be removed. Also deals that a run could not make, and numbers of two
 * channels.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { loggedLines } from '../../../../../infra/adapters/log/logged-lines.ts';
import { ListMessagesAnswer } from '../../../../../shared/api/message.ts';
import { LOG_EVENT } from '../../../../../shared/log-events.ts';
import { contactFixtureOf } from '../../../../support/actors/conversation/flow/contact-fixture.ts';
import { assertStatus } from '../../../../support/api/answers.ts';
import { freshPhone } from '../../../../support/api.ts';
import { organizationFile } from '../../../../support/organization.ts';
import { useDatabase, useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const END = { id: 'end', do: 'end' };
const CRM = {
  ref: 'crm',
  name: 'CRM',
  steps: [
    { id: 'made', do: 'deal', action: 'create', title: 'Plano', stage: 'Proposta', next: 'moved' },
    { id: 'moved', do: 'deal', action: 'move', stage: 'Novo', next: 'say' },
    { id: 'say', do: 'send', text: 'Até já, {{contact.phone}}.', next: 'hand' },
    { id: 'hand', do: 'handoff', member: 'ana' },
  ],
};

const stack = useStack();
const { loja } = useOrganizations(stack, () => {
  const more = { members: [{ ref: 'ana', name: 'Ana' }], tags: ['vip'], flows: [CRM] };
  return { loja: { more } };
});
const database = useDatabase(stack);

/** The problems that a file is refused for; fails unless it is, with exit status 2. */
async function refused(...orgs: readonly object[]): Promise<string> {
  const { code, stdout, stderr } = await stack.recado(['apply', '-'], JSON.stringify({ orgs }));
  assert.deepEqual([code, stdout], [2, ''], stderr);
  return stderr;
}

function flowOf(...steps: readonly object[]) {
  return { ref: 'bad', name: 'Bad', steps: [...steps, END] };
}

test('every reference that cannot exist is refused with its place, and nothing is stored', async () => {
  const flow = {
    ...flowOf(
      { id: 'a', do: 'send', text: 'Olá {{contact.nme}}', next: 'b' },
      { id: 'b', do: 'deal', action: 'create', title: 'T', stage: 'Propsta', next: 'c' },
      { id: 'c', do: 'tag', tags: ['vpi'], next: 'd' },
      { id: 'd', do: 'assign', member: 'anna', next: 'e' },
      { id: 'e', do: 'send', file: 'logo', next: 'f' },
      { id: 'f', do: 'choose', cases: [{ when: { tag: 'ouro' }, next: 'g' }], else: 'end' },
      { id: 'g', do: 'start', flow: 'mcr' },
    ),
    triggers: [{ on: 'tag', tag: 'prata' }],
  };
  const said = await refused({
    ref: loja.ref,
    flows: [flow],
    members: [{ ref: 'bia', name: 'Bia' }],
  });
  const at = 'orgs.0.flows.0';
  for (const words of [
    `${at}.steps.0.text: flow "bad", step "a", text: names no variable "contact.nme"`,
    'did you mean "contact.name"?',
    `${at}.steps.1.stage: flow "bad", step "b", stage: names no stage "Propsta"; there are: Novo,`,
    `${at}.steps.2.tags.0: flow "bad", step "c", tags.0: names no tag "vpi"; there are: vip;`,
    `${at}.steps.3.member: flow "bad", step "d", member: names no member "anna"; there are: ana, bia`,
    `${at}.steps.4.file: flow "bad", step "e", file: names no file "logo"; there are none`,
    `${at}.steps.5.cases.0.when.tag: flow "bad", step "f", cases.0.when.tag: names no tag "ouro"`,
    `${at}.steps.6.flow: flow "bad", step "g", flow: names no flow "mcr"; there are: crm, bad`,
    `${at}.triggers.0.tag: flow "bad", triggers.0.tag: names no tag "prata"`,
  ]) {
    assert.ok(said.includes(words), `${words}\nin\n${said}`);
  }
  const stored = await database.db.collection('organizations').findOne({ ref: loja.ref });
  assert.deepEqual([stored?.flows.length, stored?.members.length], [1, 1]);
});

const wrongContent = (ref: string) => `orgs:
  - ref: ${ref}
    flows:
      - ref: bad
        name: Bad
        channel: shop
        triggers:
          - { on: reaction, emoji: "👍👍" }
        steps:
          - id: a
            do: send
            template:
              name: pedido
              language: pt_BR
              header: { file: logo }
            next: b
          - id: b
            do: send
            interactive:
              type: buttons
              text: "{{contact.nme}}"
              buttons:
                - { id: sim, title: "Sim, quero muito mesmo" }
            next: c
          - { id: c, do: wait, saveAs: pick, next: d }
          - id: d
            do: choose
            cases:
              - when: { answer: pick, chosen: sin }
                next: end
            else: end
          - { id: end, do: end }
`;

test('what a flow sends and asks is judged at its line', async () => {
  const { code, stdout, stderr } = await stack.recado(['apply', '-'], wrongContent(loja.ref));
  assert.deepEqual([code, stdout], [2, ''], stderr);
  const at = 'orgs.0.flows.0';
  for (const [words, line] of [
    [`${at}.triggers.0.emoji: `, 8],
    [`${at}.steps.0.template: flow "bad", step "a", template: a web channel`, 12],
    [
      `${at}.steps.0.template.header.file: flow "bad", step "a", template.header.file: names no`,
      15,
    ],
    [`${at}.steps.1.interactive.text: flow "bad", step "b", interactive.text: names no`, 21],
    [`${at}.steps.1.interactive.buttons.0.title: flow "bad", step "b", interactive.buttons.0`, 23],
    [`${at}.steps.3.cases.0.when.chosen: flow "bad", step "d", cases.0.when.chosen: names no`, 29],
  ] as const) {
    const problem = stderr.split('\n').find((each) => each.includes(words)) ?? '';
    assert.match(problem, new RegExp(`line ${line}, column`), `${words}\nin\n${stderr}`);
  }
  assert.match(stderr, /names no button or row "sin"; there are: sim; did you mean "sim"\?/);
});

test('a tag that a call has made is one that flows may name', async () => {
  const body = { phone: freshPhone(), name: 'Rui', tags: ['Cliente'] };
  assertStatus(await stack.call('POST', '/api/v1/contacts', { key: loja.key, body }), 201);
  const flow = flowOf({ id: 'a', do: 'untag', tags: ['cliente'], next: 'end' });
  await stack.apply({ orgs: [{ ref: loja.ref, flows: [flow] }] });
  const gone = { flows: [{ ref: 'bad', remove: true }], tags: [{ ref: 'CLIENTE', remove: true }] };
  const said = await refused({ ref: loja.ref, tags: gone.tags });
  assert.match(
    said,
    /orgs\.0\.tags\.0\.remove: "CLIENTE" cannot be removed: it is named by flow "bad"/,
  );
  await stack.apply({ orgs: [{ ref: loja.ref, ...gone }] });
});

test('what other entries name is not taken away, and they are named', async () => {
  const said = await refused({
    ref: loja.ref,
    members: [{ ref: 'ana', remove: true }],
    channels: [{ ref: 'shop', remove: true }],
  });
  assert.match(
    said,
    /orgs\.0\.members\.0\.remove: "ana" cannot be removed: it is named by flow "crm", step "hand", member/,
  );
  assert.match(
    said,
    /orgs\.0\.channels\.0\.remove: "shop" cannot be removed: it is named by key "shop"/,
  );
});

const StartedSchema = v.object({ data: v.object({ conversationId: v.string() }) });

test('a deal step that cannot make its deal says so in the conversation and the log', async () => {
  // A team renames its stages: flows that were applied before may name an older one.
  const stages = [{ id: 'stg_1', name: 'Novo' }];
  const pipelines = [{ id: 'pip_1', name: 'Vendas', isDefault: true, stages }];
  await database.db
    .collection('organizations')
    .updateOne({ ref: loja.ref }, { $set: { pipelines } });
  const fixture = contactFixtureOf(stack, loja);
  const { status, json } = await fixture.start('crm');
  assert.equal(status, 201, JSON.stringify(json));
  assert.deepEqual(await fixture.untilReceived(1), [`Até já, ${fixture.phone}.`]);
  const { conversationId } = v.parse(StartedSchema, json).data;
  const path = `/api/v1/messages?conversationId=${conversationId}&includeNotes=true`;
  const listed = await stack.request('GET', path, { key: loja.key });
  const said = v
    .parse(ListMessagesAnswer, listed.json)
    .data.filter(({ direction }) => direction === 'note');
  assert.deepEqual(said.map(({ text }) => text).toReversed(), [
    'Fluxo "CRM", etapa "made": o negócio não foi criado, porque não há a etapa "Proposta" no funil.',
    'Fluxo "CRM", etapa "moved": o negócio não foi movido, porque o negócio deste fluxo não existe.',
  ]);
  assert.deepEqual(said[0]?.author, { kind: 'automation', label: 'CRM' });
  const line = await waitUntil('a log line', () =>
    loggedLines(stack.dataDir, LOG_EVENT.dealStepUnable).find(
      (each) => each.conversationId === conversationId && each.stepId === 'made',
    ),
  );
  assert.equal(line.reason, 'stage_not_found');
});

test('a network number is one channel’s: in a file, in the installation, and in a race', async () => {
  const number = `${stack.prefix}77`;
  const [um, dois, tres] = ['um', 'dois', 'tres'].map((ref) => stack.prefix + ref);
  const refs = [um, dois, tres];
  const numberOf = (ref = '', of = number) => {
    const file = organizationFile(ref);
    const [main, shop] = file.channels;
    return {
      ...file,
      channels: [{ ...main, network: { ...main?.network, phoneNumberId: of } }, shop],
    };
  };
  const at = 'channels.0.network.phoneNumberId';
  const twice = await refused(numberOf(um), numberOf(dois));
  assert.match(
    twice,
    new RegExp(`orgs\\.1\\.${at}: the same number is already given at orgs\\.0\\.${at}`),
  );
  const taken = await refused(numberOf(um, loja.phoneNumberId));
  assert.match(
    taken,
    new RegExp(`orgs\\.0\\.${at}: is already that of channel "main" of organization "${loja.ref}"`),
  );
  const raced = await Promise.all(
    refs.map((ref) => stack.recado(['apply', '-'], JSON.stringify({ orgs: [numberOf(ref)] }))),
  );
  assert.deepEqual(raced.map(({ code }) => code).toSorted(), [0, 2, 2]);
  const stored = await database.db
    .collection('organizations')
    .countDocuments({ ref: { $in: refs } });
  assert.equal(stored, 1, 'nothing of the others was stored');
  // Beside their look-ups the index is the fence (tests/faults/fencing/network-numbers.test.ts).
  const second = { numbers: [`cloud sandbox ${number}`] };
  await assert.rejects(
    database.db.collection('organizations').insertOne(second),
    /organization_numbers/,
  );
  const holder = refs[raced.findIndex(({ code }) => code === 0)] ?? '';
  await stack.apply({ orgs: [{ ref: holder, remove: true }] });
  const other = refs.find((ref) => ref !== holder) ?? '';
  await stack.apply({ orgs: [numberOf(other)] });
});

test('an organization that was taken away and comes back stays', async () => {
  const ref = `${stack.prefix}volta`;
  await stack.apply({ orgs: [{ ref, name: 'Volta' }] });
  await stack.apply({ orgs: [{ ref, remove: true }] });
  await stack.apply({ orgs: [{ ref }] });
  const stored = await database.db.collection('organizations').findOne({ ref });
  assert.equal(stored?.removed, undefined);
});
