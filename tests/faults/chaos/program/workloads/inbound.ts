/** Contacts who write; the network brings each message again until the service has taken it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ending } from '../recorder.ts';
import { atOnce, type WorkloadFixture } from '../workload-fixture.ts';

const CONTACTS = 3;
const PACE_MS = 150;
const AGAIN_MS = 300;
const TIMEOUT_MS = 12_000;

export async function writeAsContacts(fixture: WorkloadFixture): Promise<void> {
  await atOnce(CONTACTS, async (contact) => {
    const phone = fixture.freshPhone();
    for (let count = 0; !fixture.stopping.aborted; count++) {
      const text = `hello ${contact}-${count}`;
      await untilTaken(fixture, { name: `in-${contact}`, phone, text });
      await pause(PACE_MS);
    }
  });
}

interface Written {
  /** Name of the worker that delivers it. */
  readonly name: string;
  readonly phone: string;
  readonly text: string;
}

/** True once it was taken; false when the run ended before. */
export async function untilTaken(
  fixture: WorkloadFixture,
  { name, phone, text }: Written,
): Promise<boolean> {
  const { channelId, recorder, sandboxUrl, stopping } = fixture;
  const id = `wamid.${phone}-${text.replaceAll(/\W/g, '-')}`;
  const body = JSON.stringify({ channelId, from: phone, text, id });
  while (!stopping.aborted) {
    const ask = () => bring(`${sandboxUrl}/control/inbound`, body);
    const { type } = await recorder.call(name, 'inbound', { request: { phone, id, text }, ask });
    if (type === 'ok') return true;
    await pause(AGAIN_MS);
  }
  return false;
}

/** Anything but a 200 says nothing about what the service did with it. */
export async function bring(url: string, body: string): Promise<Ending> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method: 'POST', body, signal });
    const json: unknown = await response.json();
    return { type: response.status === 200 ? 'ok' : 'info', body: json };
  } catch (error) {
    return { type: 'info', body: { cause: String(error) } };
  }
}
