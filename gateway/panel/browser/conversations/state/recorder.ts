/**
 * From the microphone to a file that both networks take. Loaded on use.
 *
 * 1. The microphone is released at every end: stopped, discarded, failed, or left before the browser
 *    has given it.
 * 2. What turns the browser's recording into Ogg is there before the recording begins, so that none
 *    is lost for want of it.
 */
import { every, now } from '../../clock.ts';
import { clockOf } from '../../format.ts';
import { RECORDER as words } from '../../sentences/recorder.ts';
import { TEXT } from '../../sentences.ts';

const SECONDS_MAX = 15 * 60;
/** The server takes 25 MiB: what a browser gives at once, and the file's head, have room beside it. */
const BYTES_MAX = 24 * 1024 * 1024;
const PART_MS = 1_000;
const TICK_MS = 250;
/** Speech is whole with it. */
const BITS_PER_SECOND = 32_000;

/** As browsers write them, the best first: some name MP4 and put Opus into it, so that it is last. */
const FORMATS = [
  { recorded: 'audio/ogg;codecs=opus', mimeType: 'audio/ogg', extension: 'ogg', isWebm: false },
  { recorded: 'audio/webm;codecs=opus', mimeType: 'audio/ogg', extension: 'ogg', isWebm: true },
  { recorded: 'audio/mp4', mimeType: 'audio/mp4', extension: 'm4a', isWebm: false },
] as const;
type Format = (typeof FORMATS)[number];

export interface Recorded {
  /** Null: there is none, and the notice says why. */
  readonly file: File | null;
  readonly notice: string;
}

export interface Recording {
  /** Discards it. */
  readonly left: AbortSignal;
  readonly onBegun: (stop: () => void) => void;
  readonly onSeconds: (seconds: number) => void;
  readonly onEnded: () => void;
}

/** Resolves once it was stopped, or has come to its end; never rejects. */
export async function record(recording: Recording): Promise<Recorded> {
  const format = formatHere();
  if (typeof format === 'string') return { file: null, notice: format };
  const finish = await finisherOf(format).catch(() => null);
  if (finish === null) return { file: null, notice: TEXT.errors.screen };
  try {
    const { parts, isWhole } = await heard(format, recording);
    recording.onEnded();
    const file = recording.left.aborted ? null : await finish(parts);
    return { file, notice: file === null ? words.empty : isWhole ? '' : words.limit };
  } catch (fault) {
    return { file: null, notice: sentenceOf(fault) };
  }
}

/** The format of this browser, or the sentence that says why it has none. */
function formatHere(): Format | string {
  // Absent over plain HTTP.
  if (navigator.mediaDevices === undefined) return words.insecure;
  if (typeof MediaRecorder === 'undefined') return words.unsupported;
  const format = FORMATS.find(({ recorded }) => MediaRecorder.isTypeSupported(recorded));
  return format ?? words.unsupported;
}

interface Heard {
  readonly parts: readonly Blob[];
  /** False: it was stopped at a limit. */
  readonly isWhole: boolean;
}

async function heard(format: Format, recording: Recording): Promise<Heard> {
  const { left } = recording;
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const release = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  // The light of the microphone goes out at the press, not when the recorder has closed its file.
  left.addEventListener('abort', release);
  try {
    if (left.aborted) return { parts: [], isWhole: true };
    return await heardFrom(stream, format, recording);
  } finally {
    release();
  }
}

async function heardFrom(
  stream: MediaStream,
  { recorded: mimeType }: Format,
  { left, onBegun, onSeconds }: Recording,
): Promise<Heard> {
  const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: BITS_PER_SECOND });
  const parts: Blob[] = [];
  let isWhole = true;
  const stop = () => {
    if (recorder.state !== 'inactive') recorder.stop();
  };
  left.addEventListener('abort', stop);
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
  const ended = new Promise<void>((resolve, reject) => {
    // A microphone that is pulled out stops it too.
    recorder.addEventListener('stop', () => resolve());
    recorder.addEventListener('error', () => reject(new Error('the recording failed')));
  });
  const startedAt = now();
  recorder.start(PART_MS);
  onBegun(stop);
  const endTicks = every(TICK_MS, () => {
    const seconds = Math.floor((now() - startedAt) / 1000);
    onSeconds(seconds);
    const bytes = parts.reduce((sum, { size }) => sum + size, 0);
    if (bytes < BYTES_MAX && seconds < SECONDS_MAX) return;
    isWhole = false;
    stop();
  });
  await ended.finally(endTicks);
  return { parts, isWhole };
}

type Finish = (parts: readonly Blob[]) => Promise<File | null>;

async function finisherOf({ mimeType, extension, isWebm }: Format): Promise<Finish> {
  const { oggOf } = isWebm ? await import('./ogg.ts') : { oggOf: null };
  return async (parts) => {
    const recorded = new Blob([...parts]);
    if (recorded.size === 0) return null;
    const bytes = oggOf === null ? recorded : await oggOf(recorded);
    if (bytes === null) return null;
    const at = clockOf(new Date(now()).toISOString()).replaceAll(':', '-');
    return new File([bytes], `${words.name} ${at}.${extension}`, { type: mimeType });
  };
}

function sentenceOf(fault: unknown): string {
  const name = fault instanceof DOMException ? fault.name : '';
  if (name === 'NotAllowedError') return words.denied;
  return name === 'NotFoundError' ? words.absent : words.failed;
}
