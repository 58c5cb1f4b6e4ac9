/** The simulator as its tests drive it: raw calls of both networks, raw webhook bodies. */
import assert from 'node:assert/strict';
import {
  isRecord,
  type JsonRecord,
  listAt,
  recordAt,
} from '../../../../../infra/adapters/network/webhook-body.ts';
import { openNetworkFixture } from '../../../../support/infra/adapters/network/network-fixture.ts';
import { useForEach, useUntil } from '../../../../support/test-hooks.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: JsonRecord;
}

/** A record of any depth; what it lacks fails the test that reads it. */
type Anything = ReturnType<typeof Object>;

export type SimulatorFixture = Awaited<ReturnType<typeof openSimulatorFixture>>;

/**
 * A simulator for the tests of a suite, or one for each of them; `cloud` are more settings of its
 * Cloud number.
 */
export function simulatorOf(
  which: 'each test' | 'the suite',
  cloud: Readonly<Record<string, string>> = {},
): SimulatorFixture {
  const use = which === 'each test' ? useForEach : useUntil;
  return use(
    () => openSimulatorFixture(cloud),
    (simulator) => simulator.close(),
  );
}

async function openSimulatorFixture(more: object) {
  const network = await openNetworkFixture();
  network.channels = network.channels.map((channel) =>
    channel.provider === 'cloud'
      ? { ...channel, network: { ...channel.network, ...more } }
      : channel,
  );
  let seen = 0;
  /** Webhook bodies that came since the last call of `forget`, of one event. */
  const hooks = (event: string): readonly JsonRecord[] =>
    network.requests
      .slice(seen)
      .map(({ request }) => recordOf(Buffer.from(request.rawBody).toString('utf8')))
      .filter((body) => kindOf(body) === event);
  /** Contents of these webhooks: the values of Meta's changes; `payloads`: of the bridge. */
  const valuesOf = (field: string): readonly Anything[] =>
    hooks(field).map(({ entry }) => Object(entry)[0].changes[0].value);
  /** A control that must succeed. */
  const control = async (path: string, body: unknown): Promise<JsonRecord> => {
    const answer = await network.control('POST', path, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return isRecord(answer.body) ? answer.body : {};
  };
  /** A call of the bridge's API under the session's key. */
  const bridge = (method: string, path: string, body?: unknown) =>
    call(`${network.url}${path}`, { method, body, headers: { 'x-api-key': 'bridge-key' } });
  const graph = (method: string, path: string, body?: unknown) =>
    call(`${network.url}/v26.0${path}`, {
      method,
      body,
      headers: { authorization: 'Bearer token-1001' },
    });
  return {
    network,
    bridge,
    graph,
    /** Status, code and subcode of a refusal of Graph. */
    async errorOf(...call: Parameters<typeof graph>) {
      const { status, body } = await graph(...call);
      const { code, error_subcode } = recordAt(body, 'error');
      return [status, code, error_subcode];
    },
    send: (body: JsonRecord, name = 'sendText') =>
      bridge('POST', `/api/${name}`, { session: 'shop', chatId: '5511988887777@c.us', ...body }),
    control,
    /** Deliveries to a contact, as the network saw them. */
    async sent(to: string): Promise<readonly JsonRecord[]> {
      const { body } = await network.control('GET', `/sent?to=${to}`);
      return isRecord(body) ? listAt(body, 'data').filter(isRecord) : [];
    },
    hooks,
    payloads: (event: string): readonly Anything[] =>
      hooks(event).map(({ payload }) => Object(payload)),
    valuesOf,
    /** Receipts of the Cloud API. */
    statuses: (): readonly Anything[] => valuesOf('statuses').flatMap(({ statuses }) => statuses),
    /** Sets the engine of the bridge. */
    engine: (engine: string, more: object = {}) =>
      control('/engines', { session: 'shop', engine, ...more }),
    /** The first `count` of them, once they came. */
    async awaitHooks(event: string, count = 1) {
      await network.until(`${count} of ${event}`, () => hooks(event).length >= count);
      return hooks(event).slice(0, count);
    },
    async forget() {
      await network.control('DELETE', '');
      seen = network.requests.length;
    },
    close: () => network.close(),
  };
}

/** The bridge's event, or the field of Meta's change and the kind of its list. */
function kindOf(body: JsonRecord): string {
  if (typeof body.event === 'string') return body.event;
  const [entry] = listAt(body, 'entry').filter(isRecord);
  const [change] = listAt(entry ?? {}, 'changes').filter(isRecord);
  const value = recordAt(change ?? {}, 'value');
  return value.statuses === undefined ? String(change?.field) : 'statuses';
}

function recordOf(json: string): JsonRecord {
  const value: unknown = JSON.parse(json);
  return isRecord(value) ? value : {};
}

interface Call {
  readonly method: string;
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

async function call(url: string, { method, body, headers }: Call): Promise<Answer> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers, ...init });
  const text = await response.text();
  const json: unknown = text === '' ? {} : JSON.parse(text);
  return { status: response.status, text, body: isRecord(json) ? json : { list: json } };
}
