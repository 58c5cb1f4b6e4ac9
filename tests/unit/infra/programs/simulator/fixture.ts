/** The simulator as its tests drive it: raw calls of both networks, raw webhook bodies. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import {
  isRecord,
  type JsonRecord,
  listAt,
  recordAt,
} from '../../../../../infra/adapters/network/webhook-body.ts';
import {
  type NetworkFixture,
  openNetworkFixture,
} from '../../../../support/infra/adapters/network/network-fixture.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: JsonRecord;
}

/** A record of any depth; what it lacks fails the test that reads it. */
type Anything = ReturnType<typeof Object>;

export interface SimulatorFixture {
  readonly network: NetworkFixture;
  /** A call of the bridge's API under the session's key. */
  bridge(method: string, path: string, body?: unknown): Promise<Answer>;
  send(body: JsonRecord, call?: string): Promise<Answer>;
  graph(method: string, path: string, body?: unknown): Promise<Answer>;
  /** A control that must succeed. */
  control(path: string, body: unknown): Promise<JsonRecord>;
  /** Deliveries to a contact, as the network saw them. */
  sent(to: string): Promise<readonly JsonRecord[]>;
  /** Webhook bodies that came since the last call of `forget`, of one event. */
  hooks(event: string): readonly JsonRecord[];
  /** Contents of these webhooks: of the bridge, and the values of Meta's changes. */
  payloads(event: string): readonly Anything[];
  valuesOf(field: string): readonly Anything[];
  /** Receipts of the Cloud API. */
  statuses(): readonly Anything[];
  /** Sets the engine of the bridge. */
  engine(name: string, more?: object): Promise<JsonRecord>;
  /** The first `count` of them, once they came. */
  awaitHooks(event: string, count?: number): Promise<readonly JsonRecord[]>;
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** A simulator for the tests of a suite, or one for each of them. */
export function simulatorOf(which: 'each test' | 'the suite'): SimulatorFixture {
  let current: SimulatorFixture;
  const open = async () => {
    current = await openSimulatorFixture();
  };
  const close = () => current.close();
  if (which === 'each test') {
    beforeEach(open);
    afterEach(close);
  } else {
    before(open);
    after(close);
  }
  return {
    get network() {
      return current.network;
    },
    bridge: (...asked) => current.bridge(...asked),
    send: (...asked) => current.send(...asked),
    graph: (...asked) => current.graph(...asked),
    control: (...asked) => current.control(...asked),
    sent: (to) => current.sent(to),
    hooks: (event) => current.hooks(event),
    valuesOf: (field) => current.valuesOf(field),
    statuses: () => current.statuses(),
    payloads: (event) => current.payloads(event),
    awaitHooks: (...asked) => current.awaitHooks(...asked),
    engine: (...asked) => current.engine(...asked),
    forget: () => current.forget(),
    close,
  };
}

async function openSimulatorFixture(): Promise<SimulatorFixture> {
  const network = await openNetworkFixture();
  let seen = 0;
  const hooks = (event: string) =>
    network.requests
      .slice(seen)
      .map(({ request }) => recordOf(Buffer.from(request.rawBody).toString('utf8')))
      .filter((body) => kindOf(body) === event);
  const valuesOf = (field: string) =>
    hooks(field).map(({ entry }) => Object(entry)[0].changes[0].value);
  const control = async (path: string, body: unknown) => {
    const answer = await network.control('POST', path, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return isRecord(answer.body) ? answer.body : {};
  };
  const bridge = (method: string, path: string, body?: unknown) =>
    call(`${network.url}${path}`, { method, body, headers: { 'x-api-key': 'bridge-key' } });
  return {
    network,
    bridge,
    send: (body, name = 'sendText') =>
      bridge('POST', `/api/${name}`, { session: 'shop', chatId: '5511988887777@c.us', ...body }),
    graph: (method, path, body) =>
      call(`${network.url}/v26.0${path}`, {
        method,
        body,
        headers: { authorization: 'Bearer token-1001' },
      }),
    control,
    async sent(to) {
      const { body } = await network.control('GET', `/sent?to=${to}`);
      return isRecord(body) ? listAt(body, 'data').filter(isRecord) : [];
    },
    hooks,
    payloads: (event) => hooks(event).map(({ payload }) => Object(payload)),
    valuesOf,
    statuses: () => valuesOf('statuses').flatMap(({ statuses }) => statuses),
    engine: (engine, more = {}) => control('/engines', { session: 'shop', engine, ...more }),
    async awaitHooks(event, count = 1) {
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
