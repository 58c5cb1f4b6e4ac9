/** What both of the simulated networks and the control interface share. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/ports.ts';
import { ackOf, bridgeAck, bridgeMessage } from './bridge-events.ts';
import { BridgePeople } from './bridge-people.ts';
import { BridgeSessions } from './bridge-sessions.ts';
import { ChannelDirectory, type PullChannels } from './channels.ts';
import { cloudStatus } from './cloud-events.ts';
import { CloudPeople } from './cloud-people.ts';
import { type Fault, Faults } from './faults.ts';
import { MediaStore } from './media-store.ts';
import { type ReceiptStep, Receipts, type ReceiptWaits, type Sending } from './receipts.ts';
import { SentLog, type SentMedia, type SentMessage } from './sent-log.ts';
import type { WebhookEntry } from './webhook-entry.ts';
import { WebhookLanes } from './webhook-lanes.ts';

/** Who keeps what the simulator forgets when it ends. */
export interface Witness {
  /** Called before the network answers. */
  accepted(message: SentMessage, callbackData: string | null): void;
  /** The service has taken these entries of a webhook, each a JSON text. */
  taken(entries: readonly string[]): void;
  /** `web`: a contact wrote to the session, by this form of the chat. */
  wrote?(session: string, chat: string): void;
}

export interface World {
  readonly clock: Clock;
  readonly directory: ChannelDirectory;
  readonly faults: Faults;
  readonly media: MediaStore;
  readonly people: BridgePeople;
  readonly sessions: BridgeSessions;
  readonly cloudPeople: CloudPeople;
  readonly sent: SentLog;
  readonly lanes: WebhookLanes;
  readonly receipts: Receipts;
  readonly witness: Witness | null;
}

export interface WorldOptions {
  readonly clock: Clock;
  readonly pull: PullChannels;
  readonly waits: ReceiptWaits;
  readonly witness: Witness | null;
}

export function createWorld({ clock, pull, waits, witness }: WorldOptions): World {
  const directory = new ChannelDirectory(pull, clock);
  const lanes = new WebhookLanes(clock, directory, (entries) =>
    witness?.taken(entries.map(({ json }) => json)),
  );
  const people = new BridgePeople();
  const report = (sending: Sending, step: ReceiptStep) => {
    const entry = receiptOf(sending, step, { people, now: clock.now() });
    if (entry === null) return;
    for (const channelId of sending.channelIds) lanes.queue(channelId, sending.to, entry);
  };
  return {
    clock,
    directory,
    faults: new Faults(),
    media: new MediaStore(),
    people,
    sessions: new BridgeSessions(),
    cloudPeople: new CloudPeople(),
    sent: new SentLog(),
    lanes,
    receipts: new Receipts(clock, waits, report),
    witness,
  };
}

/** Null where the network tells nothing of the step. */
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
  readonly callbackData?: string | undefined;
  readonly fullId?: string;
  readonly bridge?: Sending['bridge'];
}

/** The network takes a message: it is on record, and its receipts are on their way. */
export function accept(world: World, message: Acceptance, fault: Fault | null): void {
  const { externalId, to, kind, text, media, channelIds, provider, callbackData, bridge } = message;
  const [channel = ''] = channelIds;
  const now = world.clock.now();
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
    at: now,
  };
  world.sent.add(sent);
  world.witness?.accepted(sent, callbackData ?? null);
  const duplicate = fault?.duplicateReceipts ?? false;
  const userId = provider === 'cloud' ? world.cloudPeople.userIdOf(to) : undefined;
  const about = { channelIds, provider, externalId, to, userId, callbackData };
  const sending = { ...about, duplicate, failCode, bridge };
  if (bridge !== undefined) {
    const telling = { session: bridge.session, people: world.people, now };
    const own = bridgeMessage(telling, bridge.message);
    for (const channelId of channelIds) world.lanes.queue(channelId, to, own);
  }
  if (fault?.dropReceipts) return;
  world.receipts.start(sending);
}

/** An id that no other message of this or an earlier run has. */
export function freshHex(): string {
  return randomBytes(12).toString('hex').toUpperCase();
}
