/** Calls without a good key, each from an address of its own: an address has 100 a minute (D82). */
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Answer, type Api, type Call, jsonOf } from '../../support/api.ts';
import { assertDocumented } from '../../support/conformance.ts';

const ADDRESSES = 250;
let calls = 0;

/** Of the loopback network, each for few calls. */
function localAddress(): string {
  calls += 1;
  return `127.0.1.${1 + (calls % ADDRESSES)}`;
}

/**
 * Like the request of an API, with `headers` and a JSON body only.
 * @param address that of all calls; null: each has its own
 */
export function requestAsStranger(baseUrl: string, address: string | null = null): Api['request'] {
  return async (method, path, { headers, body }: Call = {}) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const from = address ?? localAddress();
    const options = { method, localAddress: from, headers: { ...type, ...headers } };
    const sent = request(`${baseUrl}${path}`, { ...options, agent: false });
    const answered = once(sent, 'response');
    const bytes = body instanceof Uint8Array ? body : JSON.stringify(body);
    sent.end(body === undefined ? undefined : bytes);
    const [response] = await answered;
    const answer = answerOf(response.statusCode, response.headersDistinct, await text(response));
    assertDocumented(method, path, answer);
    return answer;
  };
}

function answerOf(status: number, named: NodeJS.Dict<string[]>, body: string): Answer {
  const pairs = Object.entries(named).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return { status, headers: new Headers(pairs), text: body, json: jsonOf(body) };
}
