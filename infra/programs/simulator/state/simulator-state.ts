/** Shared state of both simulated networks and the control interface. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../../shared/ports/clock.ts';
import { BridgePeople } from '../bridge/people.ts';
import { BridgeSessions } from '../bridge/sessions.ts';
import { ContactWindows } from '../cloud/contact-windows.ts';
import { CloudPeople } from '../cloud/people.ts';
import { Templates } from '../cloud/templates/templates.ts';
import { TokenScopes } from '../cloud/token-scopes.ts';
import { RefusedLog } from '../logs/refused.ts';
import { ReceivedMessages, SeenLog } from '../logs/seen.ts';
import { type SentDetails, SentLog, type SentMedia, type SentMessage } from '../logs/sent.ts';
import { ChannelDirectory, type PullChannels } from '../network/channels.ts';
import { type Fault, Faults } from '../network/faults.ts';
import { ackOf, bridgeAck, bridgeMessage } from '../webhooks/bridge-events.ts';
import { cloudStatus } from '../webhooks/cloud-events.ts';
import type { WebhookEntry } from '../webhooks/entry.ts';
import { WebhookQueues } from '../webhooks/queues.ts';
import {
  type ReceiptDelays,
  type ReceiptStep,
  Receipts,
  type Sending,
} from '../webhooks/receipts.ts';
import { MediaStore } from './media-store.ts';

/** Observer that keeps the data which the simulator loses at its end. */
export interface SimulatorObserver {
  /** Called before the network answers. */
  accepted(message: SentMessage, callbackData: string | null): void;
  /** The service has accepted these entries of a webhook, each a JSON text. */
  taken(entries: readonly string[]): void;
  /** `web`: a contact wrote to the session, by this form of the chat. */
  wrote?(session: string, chat: string): void;
}

export interface SimulatorState {
  readonly clock: Clock;
  readonly directory: ChannelDirectory;
  readonly faults: Faults;
  readonly media: MediaStore;
  readonly people: BridgePeople;
  readonly sessions: BridgeSessions;
  readonly cloudPeople: CloudPeople;
  readonly sent: SentLog;
  readonly webhookQueues: WebhookQueues;
  readonly receipts: Receipts;
  readonly templates: Templates;
  readonly scopes: TokenScopes;
  readonly windows: ContactWindows;
  readonly received: ReceivedMessages;
  readonly seen: SeenLog;
  readonly refused: RefusedLog;
  readonly observer: SimulatorObserver | null;
}

export interface SimulatorStateOptions {
  readonly clock: Clock;
  readonly pull: PullChannels;
  readonly waits: ReceiptDelays;
  readonly observer: SimulatorObserver | null;
}

export function createSimulatorState({
  clock,
  pull,
  waits,
  observer,
}: SimulatorStateOptions): SimulatorState {
  const directory = new ChannelDirectory(pull, clock);
  const webhookQueues = new WebhookQueues(clock, directory, (entries) =>
    observer?.taken(entries.map(({ json }) => json)),
  );
  const people = new BridgePeople();
  const report = (sending: Sending, step: ReceiptStep) => {
    const entry = receiptOf(sending, step, { people, now: clock.now() });
    if (entry === null) return;
    for (const channelId of sending.channelIds) webhookQueues.queue(channelId, sending.to, entry);
  };
  return {
    clock,
    directory,
    faults: new Faults(),
    media: new MediaStore(),
    people,
    sessions: new BridgeSessions((name) => directory.known().bySession(name)[0]?.phone),
    cloudPeople: new CloudPeople(),
    sent: new SentLog(),
    templates: new Templates(clock),
    scopes: new TokenScopes(),
    windows: new ContactWindows(),
    received: new ReceivedMessages(),
    seen: new SeenLog(),
    refused: new RefusedLog(),
    webhookQueues,
    receipts: new Receipts(clock, waits, report),
    observer,
  };
}

/** Null where the network does not report the step. */
function receiptOf(
  sending: Sending,
  step: ReceiptStep,
  { people, now }: { readonly people: BridgePeople; readonly now: number },
): WebhookEntry | null {
  const { bridge, failCode } = sending;
  if (bridge === undefined) return cloudStatus(sending, step, now);
  const { session, message } = bridge;
  message.ack = ackOf(step);
  return bridgeAck({ session, people, now }, message, { step, failCode });
}

export interface Acceptance {
  readonly channelIds: readonly string[];
  readonly provider: 'cloud' | 'web';
  readonly externalId: string;
  readonly to: string;
  readonly kind: string;
  readonly text: string | null;
  readonly media?: SentMedia | undefined;
  readonly details?: SentDetails;
  readonly category?: string | undefined;
  readonly sentOnly?: boolean;
  readonly callbackData?: string | undefined;
  readonly fullId?: string;
  readonly bridge?: Sending['bridge'];
}

/** The network accepts a message: it is recorded, and its receipts are scheduled. */
export function accept(simulator: SimulatorState, message: Acceptance, fault: Fault | null): void {
  const { externalId, to, kind, text, media, channelIds, provider, callbackData, bridge } = message;
  const [channel = ''] = channelIds;
  const now = simulator.clock.now();
  const failCode = fault?.failReceiptCode;
  const sent = {
    to,
    text,
    kind,
    externalId,
    channel,
    ...(message.fullId === undefined ? {} : { fullId: message.fullId }),
    ...(media === undefined ? {} : { media }),
    ...(failCode === undefined ? {} : { failed: failCode }),
    ...message.details,
    at: now,
  };
  simulator.sent.add(sent);
  simulator.observer?.accepted(sent, callbackData ?? null);
  const duplicate = fault?.duplicateReceipts ?? false;
  const userId = provider === 'cloud' ? simulator.cloudPeople.userIdOf(to) : undefined;
  const about = { channelIds, provider, externalId, to, userId, callbackData };
  const { category, sentOnly } = message;
  const sending = { ...about, duplicate, failCode, bridge, category, sentOnly };
  if (bridge !== undefined) {
    const renderContext = { session: bridge.session, people: simulator.people, now };
    const own = bridgeMessage(renderContext, bridge.message);
    for (const channelId of channelIds) simulator.webhookQueues.queue(channelId, to, own);
  }
  if (fault?.dropReceipts) return;
  simulator.receipts.start(sending);
}

/** An id that no other message of this or an earlier run has. */
export function freshHex(): string {
  return randomBytes(12).toString('hex').toUpperCase();
}
