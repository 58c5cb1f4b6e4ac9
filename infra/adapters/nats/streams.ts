/** Pushes of event streams over core NATS: `recado.stream.<stream>`. */
import type { StreamListener, StreamPublisher } from '../../../shared/ports/streams.ts';
import type { PushedPage } from '../../../shared/wire/stream-commands.ts';
import { streamSubject } from '../../../shared/wire/subjects.ts';
import type { Wire } from './connection.ts';

export class StreamPushes implements StreamPublisher, StreamListener {
  readonly #connection: Wire;

  constructor(connection: Wire) {
    this.#connection = connection;
  }

  push(streamId: string, page: PushedPage): void {
    this.#connection.publish(streamSubject(streamId), JSON.stringify(page));
  }

  listen(streamId: string, onPush: (page: PushedPage) => void): () => void {
    const pushes = this.#connection.subscribe(streamSubject(streamId), {
      callback: (error, message) => {
        if (!error) onPush(message.json());
      },
    });
    return () => pushes.unsubscribe();
  }
}
