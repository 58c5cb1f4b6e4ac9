/**
 * A property on the real stack. Of two organizations with the same records, one is called over HTTP
 * and the other by tools. The same arguments give the same statuses and bodies (D258).
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import fc from 'fast-check';
import * as v from 'valibot';
import { ROUTES } from '../../../gateway/routes.ts';
import { crmFixtureOf, TEAM } from '../../support/api/crm-fixture.ts';
import { freshPhone } from '../../support/api.ts';
import { connectMcp } from '../../support/mcp.ts';
import type { Organization } from '../../support/organization.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import {
  type Arguments,
  argumentsOf,
  httpRequestOf,
  withoutIdentity,
} from '../../support/tool-arguments.ts';

const RUNS = 250;
const EACH = 3;
const FLOW = {
  ...{ ref: 'hi', name: 'Oi', enabled: true, channel: null, isMain: false, triggers: [] },
  steps: [{ id: 'end', do: 'end' }],
};

let twins: readonly [Twin, Twin];

interface Twin {
  readonly org: Organization;
  /** Ids and phones of this organization, by their symbol in generated arguments. */
  readonly named: ReadonlyMap<string, string>;
}

const stack = useStack();
const { one, two } = useOrganizations(stack, () => {
  const path = join(stack.dataDir, 'twins.txt');
  writeFileSync(path, 'oi');
  const files = Array.from({ length: EACH }, (_, at) => {
    return { ref: `file${at}`, name: `${at}.txt`, path, mimeType: 'text/plain' };
  });
  const options = { more: { ...TEAM.more, flows: [FLOW], files } };
  return { one: options, two: options };
});
before(async () => {
  const phones = Array.from({ length: EACH }, freshPhone);
  twins = [await twinOf(one, phones), await twinOf(two, phones)];
});

async function twinOf(org: Organization, phones: readonly string[]): Promise<Twin> {
  const crm = crmFixtureOf(stack, org);
  const named = new Map(phones.map((phone, at) => [`@phone${at}`, phone]));
  for (const [at, phone] of phones.entries()) {
    const sent = await stack.send(org.key, { channelId: org.main, phone, text: 'olá' });
    const contact = (await stack.contact(org.key, phone)) ?? assert.fail('the contact is there');
    const deal = await crm.deal({ contactId: contact.id });
    const task = await crm.task({ dealId: deal.id });
    const entries = { conversation: sent.conversationId, contact: contact.id, deal: deal.id };
    for (const [name, id] of Object.entries({ ...entries, task: task.id, stage: deal.stageId })) {
      named.set(`@${name}${at}`, id);
    }
  }
  const { id: pipeline } = await crm.pipeline();
  const { main, shop, applied } = org;
  const flow = applied.flows.hi ?? assert.fail('the flow is there');
  for (const [ref, id] of Object.entries(applied.files)) named.set(`@${ref}`, id);
  for (const [name, id] of Object.entries({ main, shop, pipeline, flow, ana: crm.member('ana') })) {
    named.set(`@${name}`, id);
  }
  return { org, named };
}

const some = (name: string) => Array.from({ length: EACH }, (_, at) => `@${name}${at}`);
const KNOWN = {
  ...{ phone: some('phone'), conversationId: some('conversation'), contactId: some('contact') },
  ...{ dealId: some('deal'), stageId: some('stage'), pipelineId: ['@pipeline'] },
  ...{ ownerId: ['@ana', 'mem_none'], assigneeId: ['@ana', 'mem_none'] },
  ...{ channelId: ['@main', '@main', '@shop', 'chn_none'], tags: ['vip', 'novo'] },
  ...{ tag: ['vip', 'VIP', 'nenhuma'], assignedTo: ['@ana', 'mem_none'] },
  participants: ['@ana', '@ana', 'mem_none'],
};
const PATH_IDS: Readonly<Record<string, readonly string[]>> = {
  changePipeline: ['@pipeline'],
  changeDeal: some('deal'),
  changeTask: some('task'),
  changeContact: some('contact'),
  getContact: some('contact'),
  getConversation: some('conversation'),
  changeConversation: some('conversation'),
  writeNote: some('conversation'),
  getDeal: some('deal'),
  getTask: some('task'),
  startFlow: ['@flow', 'flow_none'],
  removeFile: [...some('file'), 'fil_none'],
};

function resolved(given: Arguments, { named }: Twin): Arguments {
  const text = JSON.stringify(given, (_, value: unknown) =>
    typeof value === 'string' ? (named.get(value) ?? value) : value,
  );
  return v.parse(v.record(v.string(), v.unknown()), JSON.parse(text));
}

/** The network reports on messages in its own time. */
const Reported = v.looseObject({ receipts: v.unknown() });

function comparable(body: unknown): unknown {
  const settled: unknown = JSON.parse(
    JSON.stringify(body, (_, value: unknown) => {
      if (!v.is(Reported, value)) return value;
      const { receipts, status, externalId, ...rest } = value;
      return rest;
    }),
  );
  return withoutIdentity(settled);
}

function rowOf(name: string) {
  return ROUTES.find(({ operationId }) => operationId === name) ?? assert.fail(name);
}

test('a tool and its path give the same answers, call after call', async (context) => {
  const [one, two] = twins;
  await using mcp = await connectMcp(stack.baseUrl, two.org.key);
  const { tools } = await mcp.client.listTools();
  const calls = tools
    .filter(({ name }) => name !== 'getMe')
    .map(({ name, inputSchema }) => {
      const route = rowOf(name);
      const id = PATH_IDS[name] ?? [];
      const options = { known: { ...KNOWN, id }, asQuery: route.method === 'GET' };
      return argumentsOf(inputSchema, options).map((given) => ({ name, given }));
    });
  const seen = new Map<string, number>();
  const property = fc.asyncProperty(fc.oneof(...calls), async ({ name, given }) => {
    const route = rowOf(name);
    fc.pre(!route.path.includes('{') || typeof given.id === 'string');
    const request = httpRequestOf(route, resolved(given, one));
    const { method, path, ...call } = request;
    const answer = await stack.request(method, path, { key: one.org.key, ...call });
    const called = await mcp.call(name, resolved(given, two));
    assert.deepEqual(
      [called.status, comparable(called.body)],
      [answer.status, comparable(answer.json)],
    );
    assert.equal(called.replayed, answer.headers.has('idempotent-replayed'));
    const cell = `${name} ${answer.status < 300 ? 'accepted' : answer.status}`;
    seen.set(cell, (seen.get(cell) ?? 0) + 1);
  });
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  context.diagnostic(JSON.stringify([...seen].sort()));
  const accepted = [...seen.keys()].filter((cell) => cell.endsWith('accepted'));
  assert.ok(accepted.length > calls.length / 2, 'most tools were accepted at least once');
});
