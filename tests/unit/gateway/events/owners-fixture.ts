/** The gateway's fixture with owners of event streams, and a client that reads one. */
import assert from 'node:assert/strict';
import type { Answer } from '../../../../shared/ports/bus.ts';
import {
  type PushedPage,
  type StreamRead,
  streamId,
} from '../../../../shared/wire/stream-commands.ts';
import {
  type Fixture,
  type FixtureOptions,
  ids,
  ORG,
  startGateway,
} from '../../../support/gateway/gateway-fixture.ts';
import type { Asked } from '../../../support/gateway/memory-bus.ts';
import { page } from './event-stream-fixture.ts';

export const EVENTS = '/api/v1/events';
export const ACK = '/api/v1/events/ack';
export const EMPTY = page([]);
/** Of each stream. */
export const BEGUN_AT = 1_700_000_000_000;
/** Of a stream that has written nothing else. */
export const RETRY = 'retry: 1000\n\n';

export const json = (status: number, value: unknown): Answer => ({
  status,
  body: JSON.stringify(value),
});

/** The id of a key's stream. */
export const idOf = (keyId: string, name = 'default') => streamId(ids, { orgId: ORG, keyId, name });

export interface Owners extends Fixture {
  /** By the number of the read, from 0. */
  onRead: (read: Asked['command'], number: number) => StreamRead | Promise<StreamRead>;
  onOpen: (open: Asked['command']) => Answer;
  push(id: string, page: PushedPage): void;
  readonly heard: ReadonlyMap<string, unknown>;
  asked(type: string): readonly Asked[];
}

export async function startOwners(options: FixtureOptions = {}): Promise<Owners> {
  const fixture = await startGateway(options);
  const heard = new Map<string, (page: PushedPage) => void>();
  fixture.gateway.eventStreams.connect({
    listen(id, onPush) {
      heard.set(id, onPush);
      return () => void heard.delete(id);
    },
  });
  const { onAsk } = fixture.bus;
  const asked = (type: string) => fixture.bus.asked.filter(({ command }) => command.type === type);
  const owners: Owners = Object.assign(fixture, {
    onRead: () => EMPTY,
    onOpen: () => json(200, { connection: asked('open-stream').length, generation: BEGUN_AT }),
    push: (id: string, pushed: PushedPage) => heard.get(id)?.(pushed),
    ...{ heard, asked },
  });
  fixture.bus.onAsk = async (each) => {
    const { type } = each.command;
    if (type === 'open-stream') return owners.onOpen(each.command);
    if (type === 'acknowledge-stream') return json(200, { acknowledged: 2 });
    if (type === 'leave-stream' || type === 'touch-stream') return json(200, {});
    if (type !== 'read-stream') return onAsk(each);
    return json(200, await owners.onRead(each.command, asked('read-stream').length - 1));
  };
  return owners;
}

export interface Reader extends Disposable {
  readonly response: Response;
  /** Everything, once it ends so. */
  until(end: string): Promise<string>;
  /** Everything, once the response has ended. */
  ended(): Promise<string>;
}

export async function read(owners: Fixture, path = EVENTS, init = {}): Promise<Reader> {
  const response = await owners.send(path, init);
  const reader = response.body?.getReader();
  assert.ok(reader);
  const decoder = new TextDecoder();
  let text = '';
  const more = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: true });
    return !done;
  };
  return {
    response,
    async until(end) {
      while (!text.endsWith(end)) assert.ok(await more(), `ended with ${text}`);
      return text;
    },
    async ended() {
      while (await more());
      return text;
    },
    [Symbol.dispose]: () => void reader.cancel(),
  };
}
