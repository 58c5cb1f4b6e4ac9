/**
 * `recado trigger` (D254) on the real stack. Each event of the contract and each extension arrives,
 * signed, at a subscriber, over a channel of either network.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { TRIGGERS } from '../../../../../infra/programs/cli/trigger/table.ts';
import { CONTRACT_EVENTS, EXTENSION_EVENTS } from '../../../../../shared/events.ts';
import { freshPhone } from '../../../../support/api.ts';
import { named } from '../../../../support/applied.ts';
import { runHere, withoutNotices } from '../../../../support/command-line.ts';
import { assertSigned } from '../../../../support/delivery.ts';
import { organizationFile, secretsOf } from '../../../../support/organization.ts';
import { type Ran, runProgram } from '../../../../support/run-program.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../../support/stack-hooks.ts';
import type { Received } from '../../../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { operatorsActs } from './operators-acts.ts';

const ROOT = resolve(import.meta.dirname, '../../../../..');
const EVENTS = [...CONTRACT_EVENTS, ...EXTENSION_EVENTS];

const ListSchema = v.strictObject({
  data: v.array(v.strictObject({ event: v.string(), does: v.string(), example: v.string() })),
});
const MadeSchema = v.objectWithRest(
  { event: v.string(), orgId: v.string(), channelId: v.string(), phone: v.string() },
  v.string(),
);
type Made = v.InferOutput<typeof MadeSchema>;

const stack = useStack();
const subscriber = useSubscriber();
const { loja } = useOrganizations(stack, () => {
  const ref = `${stack.prefix}loja`;
  const { channels } = organizationFile(ref);
  const [main, shop] = channels;
  const graph = { ...secretsOf(ref), phoneNumberId: `graph-${ref}` };
  const real = { ...graph, baseUrl: 'http://127.0.0.1:9', phoneNumberId: `real-${ref}` };
  const off = { ...shop?.network, session: `off-${ref}` };
  const more = [
    { ...main, ref: 'real', network: real },
    { ...main, ref: 'graph', enabled: false, network: graph },
    { ...shop, ref: 'off', enabled: false, network: off },
  ];
  const events = ['*', ...EXTENSION_EVENTS];
  const subscriptions = [{ ref: 'all', url: `${subscriber.url}/all`, events }];
  const members = [{ ref: 'ana', name: 'Ana' }];
  return { loja: { subscriptions, more: { members, channels: [...channels, ...more] } } };
});

const here = (...args: readonly string[]) => stack.recado(['--json', 'trigger', ...args]);
const on = (channel: string) => ['--org', loja.ref, '--channel', channel];

async function trigger(...args: readonly string[]): Promise<Made> {
  return v.parse(MadeSchema, await stack.ask('trigger', ...args));
}

async function list(...args: readonly string[]) {
  return v.parse(ListSchema, await stack.ask('trigger', '--list', ...args)).data;
}

/** The last line on standard error of a command that ended so, without a result. */
function sentenceOf({ code, stdout, stderr }: Ran, expected: 1 | 2): string {
  assert.deepEqual([code, stdout], [expected, ''], stderr);
  return stderr.trimEnd().split('\n').at(-1) ?? '';
}

/** The id by which a reader finds the event: of what it is about. */
function subjectOf({ messageId, contactId, conversationId, dealId, taskId, event }: Made): string {
  const [of] = event.split('.');
  const id =
    of === 'contact'
      ? contactId
      : of === 'conversation'
        ? conversationId
        : (dealId ?? taskId ?? messageId);
  assert.ok(id !== undefined, event);
  return id;
}

/** The delivery of the event that came after the first `since` ones. */
function arrival(made: Made, since: number): Promise<Received> {
  const isIt = ({ event, bytes }: Received) =>
    event === made.event && bytes.includes(subjectOf(made));
  return waitUntil(`${made.event} about ${subjectOf(made)} arrives`, () =>
    subscriber.at('/all').slice(since).find(isIt),
  );
}

async function assertArrives(made: Made, since: number): Promise<Received> {
  const received = await arrival(made, since);
  const { secret = '' } = named(loja.applied.subscriptions, 'all');
  await assertSigned(received, secret);
  return received;
}

/** The words of a command, as a shell splits them. */
function wordsOf(example: string): readonly string[] {
  return [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
}

test('the table has the events of the contract and the extensions, each once', () => {
  assert.deepEqual(Object.keys(TRIGGERS).toSorted(), [...EVENTS].toSorted());
});

for (const [ref, provider] of [
  ['main', 'cloud'],
  ['shop', 'web'],
] as const) {
  describe(`over a ${provider} channel`, () => {
    test('every example of the list provokes its event, and the delivery is signed', async () => {
      const listed = await list(...on(ref));
      assert.deepEqual(listed.map(({ event }) => event).toSorted(), [...EVENTS].toSorted());
      for (const { event, example } of listed) {
        const [npm, run, silent, recado, end, command, ...args] = wordsOf(example);
        assert.deepEqual(
          [npm, run, silent, recado, end, command, args[0]],
          ['npm', 'run', '-s', 'recado', '--', 'trigger', event],
        );
        const since = subscriber.at('/all').length;
        const made = await trigger(...args);
        assert.deepEqual([made.event, made.orgId, made.channelId], [event, loja.id, loja[ref]]);
        await assertArrives(made, since);
      }
    });

    test('phone and text are those of the options', async () => {
      const phone = freshPhone();
      const from = ['--from', `+${phone}`, '--text', 'Texto próprio'];
      for (const [event, name] of [
        ['message.received', 'phone'],
        ['message.failed', 'phone'],
        ['deal.won', 'deal'],
        ['task.completed', 'task'],
      ] as const) {
        const since = subscriber.at('/all').length;
        const made = await trigger(event, ...on(ref), ...from);
        assert.equal(made.phone, phone);
        const received = await assertArrives(made, since);
        assert.ok(received.bytes.includes('Texto próprio'), event);
        if (name === 'phone') assert.equal(received.data.phone, phone);
        else assert.ok(received.bytes.includes(made.contactId ?? ''), event);
      }
    });
  });
}

test('a failed message fails for its contact alone, and the next one is read', async () => {
  const [phone, other] = [freshPhone(), freshPhone()];
  const { phoneNumberId } = loja;
  await stack.network.fault({ phoneNumberId, to: other, failReceiptCode: 131026, times: 1 });
  await trigger('message.failed', ...on('main'), '--from', `+${phone}`);
  await trigger('message.read', ...on('main'), '--from', `+${phone}`);
  const failed = await here('message.read', ...on('main'), '--from', `+${other}`);
  const sentence = /^recado: Message msg_\w+ is failed, not read \(131026\): /;
  assert.match(sentenceOf(failed, 1), sentence);
});

test('a message that does not fail is told, and the fault does not wait for the next', async () => {
  const from = ['--from', `+${freshPhone()}`];
  const { phoneNumberId } = loja;
  await stack.network.fault({ phoneNumberId, duplicateReceipts: true, times: 1 });
  const failed = await here('message.failed', ...on('main'), ...from);
  assert.match(sentenceOf(failed, 1), /^recado: Message msg_\w+ is read, not failed$/);
  await trigger('message.read', ...on('main'), ...from);
});

test('an example runs as it stands', async () => {
  const listed = await list(...on('main'));
  const { example = '' } = listed.find(({ event }) => event === 'deal.stage_changed') ?? {};
  const since = subscriber.at('/all').length;
  const env = { ...process.env, DATA_DIR: stack.dataDir };
  const ran = await runProgram('sh', ['-c', `${example} --json`], { cwd: ROOT, env });
  assert.equal(ran.code, 0, ran.stderr);
  const made = v.parse(MadeSchema, JSON.parse(ran.stdout));
  const { data } = await assertArrives(made, since);
  assert.deepEqual([data.fromStageId, data.toStageId], [made.fromStageId, made.toStageId]);
});

test('--list finds a channel by itself, and names every event and example to people', async () => {
  const listed = await list('--org', loja.ref);
  assert.ok(listed.every(({ example }) => example.includes(`--org ${loja.ref} --channel main`)));
  assert.ok((await list()).every(({ example }) => !example.includes('--channel CHANNEL')));
  const { stdout } = await stack.recado(['trigger', '--list', '--org', loja.ref]);
  for (const { event, does, example } of listed) {
    assert.ok(stdout.includes(`${event}: ${does}\n  ${example}\n`), event);
  }
});

test('the help of the command names every event', async () => {
  const { code, stdout } = await stack.recado(['trigger', '--help']);
  assert.equal(code, 0);
  for (const [event, { does }] of Object.entries(TRIGGERS)) {
    assert.match(stdout, new RegExp(`^  ${event} +${does}$`, 'm'));
  }
});

const REAL_NETWORK = /^--channel: "(?:real|graph)" is a number of a real network, /;

describe('refused', () => {
  test('a channel of a real network, for every event, and nothing is made', async () => {
    const from = ['--from', `+${freshPhone()}`];
    for (const event of EVENTS) {
      for (const channel of ['real', 'graph']) {
        const refused = await here(event, ...on(channel), ...from);
        assert.match(sentenceOf(refused, 2), REAL_NETWORK, `${event} ${channel}`);
      }
    }
    assert.equal(await stack.contact(loja.key, from[1] ?? ''), null);
    const ran = await stack.recado(['trigger', 'message.sent', ...on('real')]);
    const sentence =
      '--channel: "real" is a number of a real network, and an event is triggered on channels ' +
      'of the simulator only (baseUrl: sandbox)\n';
    assert.deepEqual(withoutNotices(ran), { code: 2, stdout: '', stderr: sentence });
    assert.match(sentenceOf(await here('--list', ...on('real')), 2), REAL_NETWORK);
  });

  test('a name that is no event, with the nearest one', async () => {
    const ran = await stack.recado(['trigger', 'deal.one', ...on('main')]);
    assert.deepEqual([ran.code, ran.stdout], [2, '']);
    assert.match(ran.stderr, /^there is no event "deal.one"; did you mean "deal.won"\? \(recado /);
    const other = await here('subscription.test', ...on('main'));
    assert.match(sentenceOf(other, 2), /^there is no event "subscription.test"/);
  });

  test('what lacks, and what an event has no use for', async () => {
    const refusals = [
      [[], /^name an event: /],
      [['deal.won'], /^--channel: is required$/],
      [['deal.won', '--org', 'nowhere', '--channel', 'x'], /^--org: there is no organization/],
      [['deal.won', ...on('nowhere')], /^--channel: there is no channel "nowhere"$/],
      [['deal.won', ...on('off')], /^--channel: "off" is disabled$/],
      [['deal.won', ...on('main'), '--from', 'x'], /^--from: "x" is not a phone number$/],
      [['contact.opt_out', ...on('main'), '--text', 'x'], /^--text: means nothing for contact/],
      [['deal.won', ...on('main'), '--text', ''], /^--text: must have 1 to 120 characters for /],
      [['task.created', ...on('main'), '--text', 'x'.repeat(161)], /^--text: must have 1 to 160 /],
    ] as const;
    for (const [args, message] of refusals) {
      assert.match(sentenceOf(await here(...args), 2), message, args.join(' '));
    }
  });
});

test('without an address of the simulator only what it must do fails, in a sentence', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'recado-trigger-'));
  try {
    const { sandboxUrl: _, ...run } = stack.runFile();
    writeFileSync(join(dataDir, 'run.json'), JSON.stringify(run));
    const elsewhere = (event: string) =>
      runHere(['trigger', event, ...on('main')], { env: { DATA_DIR: dataDir } });
    for (const event of ['message.received', 'message.failed', 'contact.opt_out']) {
      const sentence = `The simulator is not known: ${dataDir} has no run.json that names it.`;
      assert.equal(sentenceOf(await elsewhere(event), 1), `recado: ${sentence}`);
    }
    assert.match((await elsewhere('message.read')).stdout, /^messageId +msg_\w+$/m);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('the acts are in the audit log as the operator’s', async () => {
  const fresh = ['--from', `+${freshPhone()}`];
  const acts = new Map<string | undefined, readonly string[]>([
    [(await trigger('message.sent', ...on('main'), ...fresh)).conversationId, ['sendMessage']],
    [(await trigger('deal.lost', ...on('main'))).dealId, ['changeDeal', 'createDeal']],
    [(await trigger('task.completed', ...on('main'))).taskId, ['changeTask', 'createTask']],
  ]);
  for (const [id, operations] of acts) {
    await waitUntil(`${operations.join(' and ')} of ${id} are recorded`, async () =>
      isDeepStrictEqual(await operatorsActs(stack, loja.id, id), operations),
    );
  }
});
