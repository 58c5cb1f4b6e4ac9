/** What both of the simulated networks and the control interface share. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/ports.ts';
import { bridgeAck, bridgeOwn } from './bridge-events.ts';
import { BridgePeople } from './bridge-people.ts';
import { ChannelDirectory, type PullChannels } from './channels.ts';
import { cloudStatus } from './cloud-events.ts';
import { type Fault, Faults } from './faults.ts';
import { MediaStore } from './media-store.ts';
import { type ReceiptStep, Receipts, type ReceiptWaits, type Sending } from './receipts.ts';
import { SentLog, type SentMedia, type SentMessage } from './sent-log.ts';
import { WebhookLanes } from './webhook-lanes.ts';

/** Who keeps what the simulator forgets when it ends. */
export interface Witness {
  /** Called before the network answers. */
  accepted(message: SentMessage, callbackData: string | null): void;
  /** The service has taken these entries of a webhook, each a JSON text. */
  taken(entries: readonly string[]): void;
}

export interface World {
  readonly clock: Clock;
  readonly directory: ChannelDirectory;
  readonly faults: Faults;
  readonly media: MediaStore;
  readonly people: BridgePeople;
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
  const report = (sending: Sending, step: ReceiptStep) => {
    const describe = sending.provider === 'cloud' ? cloudStatus : bridgeAck;
    const entry = describe(sending, step, clock.now());
    for (const channelId of sending.channelIds) lanes.queue(channelId, sending.to, entry);
  };
  return {
    clock,
    directory,
    faults: new Faults(),
    media: new MediaStore(),
    people: new BridgePeople(),
    sent: new SentLog(),
    lanes,
    receipts: new Receipts(clock, waits, report),
    witness,
  };
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
}

/** The network takes a message: it is on record, and its receipts are on their way. */
export function accept(world: World, message: Acceptance, fault: Fault | null): void {
  const { externalId, to, kind, text, media, channelIds, provider, callbackData } = message;
  const [channel = ''] = channelIds;
  const carried = media === undefined ? {} : { media };
  const sent = { to, text, kind, externalId, channel, ...carried, at: world.clock.now() };
  world.sent.add(sent);
  world.witness?.accepted(sent, callbackData ?? null);
  const duplicate = fault?.duplicateReceipts ?? false;
  const failCode = fault?.failReceiptCode;
  const sending = { channelIds, provider, externalId, to, callbackData, duplicate, failCode };
  if (provider === 'web') {
    const own = bridgeOwn(sending, text, world.clock.now());
    for (const channelId of channelIds) world.lanes.queue(channelId, to, own);
  }
  if (fault?.dropReceipts) return;
  world.receipts.start(sending);
}

/** An id that no other message of this or an earlier run has. */
export function freshHex(): string {
  return randomBytes(12).toString('hex').toUpperCase();
}
