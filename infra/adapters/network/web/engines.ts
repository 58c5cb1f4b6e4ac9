/**
 * Engine and version behind each channel. They decide whether the bridge accepts our own message
 * ids and stickers. The readiness probe learns them, so that a send needs no extra request.
 *
 * 1. An unknown bridge counts as an old one: the service uses no feature that it may lack.
 * 2. A contradicting answer is believed: the call counts as missing until the version changes.
 */

import type { Clock } from '../../../../shared/ports/clock.ts';
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import { type JsonRecord, parseRecord, recordAt, textAt } from '../webhook-body.ts';
import { type BridgeCaller, isSuccess, readBridge } from './bridge-call.ts';

/** Channels; one that was forgotten counts as unknown until its next probe. */
const RETAINED_MAX = 20_000;
/** A bridge is upgraded by a restart, which a probe may miss. */
const KNOWN_FOR_MS = 10 * 60_000;
const OWN_IDS_SINCE = [2026, 4, 3] as const;

/** A call that some engines or versions lack. */
export type Feature = 'own-ids' | 'stickers';

interface Known {
  readonly engine: string;
  readonly version: readonly number[];
  readonly readAt: number;
  /** Calls that the bridge has reported as missing. */
  readonly missing: Readonly<Partial<Record<Feature, true>>>;
}

export class Engines {
  readonly #caller: BridgeCaller;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(caller: BridgeCaller, clock: Clock) {
    this.#caller = caller;
    this.#clock = clock;
  }

  /** Learns of the session as the bridge describes it. Never rejects. */
  async learn(channel: NetworkChannel, session: JsonRecord): Promise<void> {
    const engine = textAt(recordAt(session, 'engine'), 'engine') ?? textAt(session, 'engine');
    const before = this.#known.get(keyOf(channel));
    const now = this.#clock.now();
    const fresh = before !== undefined && now - before.readAt < KNOWN_FOR_MS;
    if (fresh && (engine === undefined || before.engine === engine)) return;
    const answer = await readBridge(this.#caller, channel, '/api/server/version');
    // Not to know is no reason to forget: a bridge that is away has not changed.
    if (!answer.answered || answer.status >= 500) return;
    const reported = (isSuccess(answer.status) ? parseRecord(answer.body) : null) ?? {};
    const name = engine ?? textAt(reported, 'engine');
    if (name === undefined) return;
    const version = versionOf(textAt(reported, 'version'));
    const same = before?.engine === name && String(before.version) === String(version);
    const missing = same ? before.missing : {};
    this.#keep(channel, { engine: name, version, readAt: now, missing });
  }

  /** `WEBJS`, `NOWEB`, `GOWS`, …; undefined while it is not known. */
  engineOf(channel: NetworkChannel): string | undefined {
    return this.#known.get(keyOf(channel))?.engine;
  }

  has(channel: NetworkChannel, feature: Feature): boolean {
    const known = this.#known.get(keyOf(channel));
    if (known === undefined || known.missing[feature]) return false;
    if (known.engine !== 'NOWEB' && known.engine !== 'GOWS') return false;
    return feature === 'stickers' || isSince(known.version, OWN_IDS_SINCE);
  }

  /** Whether the bridge is known, and known not to have the feature. */
  isWithout(channel: NetworkChannel, feature: Feature): boolean {
    return this.#known.has(keyOf(channel)) && !this.has(channel, feature);
  }

  /** Records the bridge's report that it lacks the feature. */
  lacks(channel: NetworkChannel, feature: Feature): void {
    const known = this.#known.get(keyOf(channel));
    if (known === undefined) return;
    const missing = { ...known.missing, [feature]: true as const };
    this.#known.set(keyOf(channel), { ...known, missing });
  }

  #keep(channel: NetworkChannel, known: Known): void {
    this.#known.delete(keyOf(channel));
    this.#known.set(keyOf(channel), known);
    if (this.#known.size <= RETAINED_MAX) return;
    const oldest = this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

/** A channel that is pointed to another bridge is another one. */
function keyOf({ id, network }: NetworkChannel): string {
  return JSON.stringify([id, network.baseUrl, network.session]);
}

/** `YYYY.M.BUILD`, whatever follows. Without a version: empty, which is older than any. */
function versionOf(text: string | undefined): number[] {
  const parts = /^(\d{4})\.(\d{1,3})\.(\d{1,4})(?!\d)/.exec(text ?? '') ?? [];
  return parts.slice(1).map(Number);
}

function isSince(version: readonly number[], since: readonly number[]): boolean {
  for (const [index, least] of since.entries()) {
    const part = version[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
