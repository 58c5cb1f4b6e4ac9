/**
 * A voice message in the making, as the composer shows it. What records is loaded on use
 * (`recorder.ts`).
 */
import { signal } from '@preact/signals';
import { TEXT } from '../../sentences.ts';
import type { Recorded } from './recorder.ts';

type Phase = 'idle' | 'asking' | 'recording' | 'finishing';

export class Recording {
  readonly phase = signal<Phase>('idle');
  readonly seconds = signal(0);
  /** What has gone otherwise than asked for; empty: nothing. */
  readonly notice = signal('');
  #leaving = new AbortController();
  #stop: () => void = () => undefined;

  /** @param onFile takes the recorded file, unless it was discarded */
  async start(onFile: (file: File) => void): Promise<void> {
    if (this.phase.peek() !== 'idle') return;
    const leaving = new AbortController();
    this.#leaving = leaving;
    this.notice.value = '';
    this.seconds.value = 0;
    this.phase.value = 'asking';
    const { file, notice } = await this.#record(leaving.signal);
    if (leaving.signal.aborted) return;
    this.phase.value = 'idle';
    this.notice.value = notice;
    if (file !== null) onFile(file);
  }

  stop(): void {
    this.#stop();
  }

  /** True while it is no file yet, and says what is to be done first. */
  holds(): boolean {
    const isOn = this.phase.peek() !== 'idle';
    if (isOn) this.notice.value = TEXT.voice.sendsLater;
    return isOn;
  }

  discard(): void {
    this.#leaving.abort();
    this.phase.value = 'idle';
    this.notice.value = '';
  }

  async #record(left: AbortSignal): Promise<Recorded> {
    const recorder = await import('./recorder.ts').catch(() => null);
    if (recorder === null) return { file: null, notice: TEXT.errors.screen };
    return recorder.record({
      left,
      onBegun: (stop) => {
        this.#stop = stop;
        this.phase.value = 'recording';
      },
      onSeconds: (seconds) => {
        this.seconds.value = seconds;
      },
      onEnded: () => {
        if (!left.aborted) this.phase.value = 'finishing';
      },
    });
  }
}
