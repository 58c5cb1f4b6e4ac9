/**
 * `recado channels check`: checks every step of a channel, from its settings to a message on a
 * phone of the operator's own. The service checks the network. The message is sent like any other,
 * and its receipts show that the network reaches the webhook.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import * as v from 'valibot';
import type { Message } from '../../../../shared/api/message.ts';
import {
  CHECK_STEPS,
  type ChannelFinding,
  fail,
  notLookedAt,
  pass,
  skip,
} from '../../../../shared/channel-check.ts';
import type { StepText } from '../../../../shared/problems/channel-steps.ts';
import { parseDuration } from '../../../../shared/provisioning/duration.ts';
import { group } from '../output/group.ts';
import type { Printing } from '../output/printing.ts';
import { readAnswer } from '../service/answer.ts';
import { badInput } from '../service/failure.ts';
import { findMessage, sendText } from '../service/messages.ts';
import { phoneMeant } from '../service/phone.ts';
import type { Service } from '../service/service.ts';
import { isStepText, tellStep } from './channel-step-sentences.ts';

const POLL_MS = 200;
const WAIT_MAX_MS = 600_000;
const TEXT = 'Recado: este número está conectado.';
const LABEL = 'recado channels check';
/** Meta: more than 24 hours since the contact's last message. */
const WINDOW_CLOSED = '131047';

const stepTextSchema = v.custom<StepText>(isStepText);
const checkedSchema = v.object({
  org: v.object({ id: v.string(), ref: v.string(), country: v.string() }),
  channel: v.object({ id: v.string(), ref: v.string(), provider: v.string() }),
  steps: v.array(
    v.object({
      step: v.picklist(CHECK_STEPS),
      ok: v.nullable(v.boolean()),
      detail: stepTextSchema,
      remedy: v.nullable(stepTextSchema),
    }),
  ),
});
type Checked = v.InferOutput<typeof checkedSchema>;

interface CheckOptions {
  readonly org?: string;
  readonly to?: string;
  readonly wait: string;
}

/** @throws {BadInput} naming the option */
function waitMsOf({ wait }: CheckOptions): number {
  const waitMs = parseDuration(wait);
  if (waitMs === null || waitMs < 1 || waitMs > WAIT_MAX_MS) {
    throw badInput('--wait', `"${wait}" is not a duration: give 30s, 2m, up to 10m`);
  }
  return waitMs;
}

async function check(service: Service, name: string, options: CheckOptions): Promise<Checked> {
  const waitMs = waitMsOf(options);
  const organization = options.org ?? null;
  const answer = await service.query('channel-check', { channel: name, organization });
  const checked = readAnswer(checkedSchema, answer);
  if (options.to === undefined) return checked;
  const message = await checkMessage(service, checked, { to: options.to, waitMs });
  return { ...checked, steps: [...checked.steps, ...message] };
}

interface Sending {
  readonly to: string;
  readonly waitMs: number;
}

/** Without these a message could not be sent, and the operator already knows the cause. */
const BEFORE_SENDING: ReadonlySet<string> = new Set(['settings', 'address', 'token', 'number']);

async function checkMessage(
  service: Service,
  checked: Checked,
  { to, waitMs }: Sending,
): Promise<readonly ChannelFinding[]> {
  const phone = await phoneMeant(service, checked.org, { option: '--to', text: to });
  const lacking = checked.steps.find(({ step, ok }) => ok === false && BEFORE_SENDING.has(step));
  if (lacking !== undefined) {
    const detail = { code: 'messageNotSent', params: { step: lacking.step } } as const;
    return [skip('message', detail), skip('receipts', detail)];
  }
  const { org, channel } = checked;
  const text = { phone, text: TEXT, authorLabel: LABEL };
  const sent = await sendText(service, { orgId: org.id, channelId: channel.id, ...text });
  const startedAt = performance.now();
  for (;;) {
    const message = await findMessage(service, org.id, sent);
    const over = performance.now() - startedAt >= waitMs;
    if (over || (message !== undefined && SETTLED.has(message.status))) {
      return findingsOf(message, Math.round(waitMs / 1_000));
    }
    await pause(POLL_MS);
  }
}

const SETTLED: ReadonlySet<string> = new Set(['delivered', 'read', 'failed']);

function findingsOf(message: Message | undefined, seconds: number): readonly ChannelFinding[] {
  const none = notLookedAt('receipts', 'message');
  if (message?.status === 'failed') {
    const { code, message: reason } = message.error ?? { code: 'unknown', message: '' };
    const refused = { code: 'messageRefused', params: { networkCode: code, reason } } as const;
    const remedy = code === WINDOW_CLOSED ? 'writeFirst' : 'mendNetwork';
    return [fail('message', refused, { code: remedy, params: {} }), none];
  }
  if (message === undefined || message.status === 'queued') {
    const detail = { code: 'messageNotTaken', params: { seconds } } as const;
    return [fail('message', detail, { code: 'seeSends', params: {} }), none];
  }
  const { id, externalId, status } = message;
  const taken = pass('message', { code: 'messageTaken', params: { id: externalId ?? id } });
  if (status === 'sent') {
    const detail = { code: 'noReceipts', params: { seconds } } as const;
    return [taken, fail('receipts', detail, { code: 'seeWebhook', params: {} })];
  }
  return [taken, pass('receipts', { code: 'receiptsCame', params: { status } })];
}

function printable({ detail, remedy, ...finding }: ChannelFinding) {
  return { ...finding, detail: tellStep(detail), remedy: remedy && tellStep(remedy) };
}

/** A line per step, its remedy below it. */
function renderSteps(steps: readonly ReturnType<typeof printable>[]): string {
  const width = Math.max(...CHECK_STEPS.map((step) => step.length));
  const lines = steps.flatMap(({ step, ok, detail, remedy }) => [
    `${step.padEnd(width)}  ${OUTCOME_LABELS.get(ok)}  ${detail}`,
    ...(remedy === null ? [] : [`${' '.repeat(width + REMEDY_INDENT)}${remedy}`]),
  ]);
  const failed = steps.filter(({ ok }) => ok === false).map(({ step }) => step);
  const end = failed.length === 0 ? 'Nothing fails.' : `Fails: ${failed.join(', ')}.`;
  return `${[...lines, end].join('\n')}\n`;
}

const OUTCOME_LABELS: ReadonlyMap<boolean | null, string> = new Map([
  [true, 'ok    '],
  [false, 'NOT OK'],
  [null, '-     '],
]);
const REMEDY_INDENT = 10;

/** Adds `check` to the group `channels`, which it makes where there is none yet. */
export function addChannelCheck(program: Command, printing: Printing): void {
  group(program, 'channels', 'channels: their numbers')
    .command('check')
    .description('goes through every step of a channel; exits with 1 where one fails')
    .argument('<channel>', 'ref or id of the channel')
    .option('--org <org>', 'ref or id of its organization')
    .option('--to <phone>', 'also sends a message to this phone of yours, and waits for receipts')
    .option('--wait <duration>', 'how long receipts are waited for', '60s')
    .action((name: string, options: CheckOptions) =>
      printing.show(
        async (service) => {
          const { org, channel, steps } = await check(service, name, options);
          const ok = steps.every((step) => step.ok !== false);
          return { ok, channel: { ...channel, org: org.ref }, steps: steps.map(printable) };
        },
        { text: ({ steps }) => renderSteps(steps), failed: ({ ok }) => !ok },
      ),
    );
}
