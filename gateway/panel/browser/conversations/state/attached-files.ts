/**
 * Files of the next messages, in the order in which they were chosen. Each is uploaded at once, one
 * after the other: what a process of the panel holds of uploads is everyone's.
 */
import { signal } from '@preact/signals';
import type { Refused } from '../../base/call.ts';
import { freshId } from '../../clock.ts';
import { type Upload, upload } from './upload.ts';

export interface AttachedFile {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly percent: number;
  /** Null while it is on its way. */
  readonly mediaId: string | null;
  /** Why its upload was not taken; null while none was refused. */
  readonly refused: Refused | null;
}

export class AttachedFiles {
  readonly list = signal<readonly AttachedFile[]>([]);
  /** So many of those that were given last found no room. */
  readonly left = signal(0);
  readonly #max: number;
  readonly #contents = new Map<string, File>();
  #current: { readonly id: string; readonly upload: Upload } | null = null;

  constructor(max: number) {
    this.#max = max;
  }

  take(given: Iterable<File>): void {
    const files = [...given];
    const taken = files.slice(0, this.#max - this.list.peek().length);
    const added = taken.map((file) => {
      const { name, size: sizeBytes } = file;
      const id = freshId();
      this.#contents.set(id, file);
      return { id, name, sizeBytes, percent: 0, mediaId: null, refused: null };
    });
    this.list.value = [...this.list.peek(), ...added];
    this.left.value = files.length - taken.length;
    this.#next();
  }

  remove(id: string): void {
    this.#contents.delete(id);
    this.list.value = this.list.peek().filter((each) => each.id !== id);
    this.left.value = 0;
    if (this.#current?.id !== id) return;
    this.#current.upload.cancel();
    this.#current = null;
    this.#next();
  }

  /** Uploads a refused one again. */
  again(id: string): void {
    this.#change(id, { percent: 0, refused: null });
    this.#next();
  }

  clear(): void {
    this.#contents.clear();
    this.list.value = [];
    this.left.value = 0;
    this.#current?.upload.cancel();
    this.#current = null;
  }

  #next(): void {
    if (this.#current !== null) return;
    const waiting = this.list.peek().find((each) => each.mediaId === null && !each.refused);
    const content = waiting && this.#contents.get(waiting.id);
    if (!content) return;
    const { id } = waiting;
    const started = upload(content, (percent) => {
      if (this.#current?.id === id) this.#change(id, { percent });
    });
    const current = { id, upload: started };
    this.#current = current;
    void started.done.then((outcome) => {
      if (this.#current !== current) return;
      this.#current = null;
      if (outcome.ok) {
        this.#contents.delete(id);
        this.#change(id, { percent: 100, mediaId: outcome.body.mediaId });
      } else this.#change(id, { refused: outcome.refused });
      this.#next();
    });
  }

  #change(id: string, properties: Partial<AttachedFile>): void {
    this.list.value = this.list
      .peek()
      .map((each) => (each.id === id ? { ...each, ...properties } : each));
  }
}
