/** Calls of the simulator's control (docs/operations.md). */
import * as v from 'valibot';
import { ServiceFailed } from '../service/failure.ts';
import type { Service } from '../service/service.ts';
import type { Target } from './target.ts';

/** A message of a contact is answered once the service has taken it. */
const TIMEOUT_MS = 15_000;
/** "Message undeliverable": the network took the message, and the contact cannot get it. */
const UNDELIVERABLE = 131_026;

const wroteSchema = v.object({ id: v.string() });
const errorSchema = v.object({ error: v.string() });

/** The contact writes; the network's id of the message, once the service has taken it. */
export async function writeAsContact(
  service: Service,
  { channelId, phone }: Target,
  text: string,
): Promise<string> {
  const body = { channelId, from: phone, text };
  return v.parse(wroteSchema, await control(service, 'POST /inbound', body)).id;
}

/** The next message to the contact is taken, and then reported as not delivered. */
export async function failNextSend(service: Service, { number, phone }: Target): Promise<void> {
  const fault = { ...number, to: phone, failReceiptCode: UNDELIVERABLE, times: 1 };
  await control(service, 'POST /faults', fault);
}

/** Takes back what `failNextSend` has asked for the contact. */
export async function withdrawFailure(service: Service, { phone }: Target): Promise<void> {
  await control(service, `DELETE /faults?to=${phone}`);
}

/** The address holds a token: no sentence names it. */
async function control(service: Service, call: string, body?: object): Promise<unknown> {
  const url = await service.simulatorUrl();
  const [method = '', path = ''] = call.split(' ');
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  try {
    const response = await fetch(`${url}/control${path}`, { method, signal, ...sent });
    const answer: unknown = await response.json();
    if (response.ok) return answer;
    const parsed = v.safeParse(errorSchema, answer);
    const reason = parsed.success ? parsed.output.error : 'no reason given';
    throw new ServiceFailed(`The simulator answered ${response.status}: ${reason}.`);
  } catch (cause) {
    if (cause instanceof ServiceFailed) throw cause;
    throw new ServiceFailed('The simulator does not answer.', { cause });
  }
}
