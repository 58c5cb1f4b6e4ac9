/** The tool that records a voice message, and what is seen of one in the making. */
import { useEffect, useMemo } from 'preact/hooks';
import { TEXT } from '../../sentences.ts';
import { Recording } from '../state/recording.ts';
import { ICONS, Tool } from './tools.tsx';

const { voice: words } = TEXT;

/** @param key another one begins without a recording: who leaves discards it */
export function useRecording(key: string): Recording {
  const recording = useMemo(() => new Recording(), [key]);
  useEffect(() => () => recording.discard(), [recording]);
  return recording;
}

interface VoiceToolProps {
  readonly recording: Recording;
  readonly onFile: (file: File) => void;
}

export function VoiceTool({ recording, onFile }: VoiceToolProps) {
  const isRecording = recording.phase.value === 'recording';
  return (
    <Tool
      label={isRecording ? words.stop : words.start}
      icon={isRecording ? ICONS.stop : ICONS.record}
      onClick={() => (isRecording ? recording.stop() : void recording.start(onFile))}
    />
  );
}

interface VoiceLineProps {
  readonly recording: Recording;
  /** The button that discards is gone, and had the focus. */
  readonly onDiscarded: () => void;
}

export function VoiceLine({ recording, onDiscarded }: VoiceLineProps) {
  const { phase, seconds, notice } = recording;
  return (
    <>
      {phase.value === 'recording' ? (
        <div class="recording">
          <span role="timer" aria-label={words.time}>
            {lengthOf(seconds.value)}
          </span>
          <button
            type="button"
            class="button small quiet"
            onClick={() => {
              recording.discard();
              onDiscarded();
            }}
          >
            {words.discard}
          </button>
        </div>
      ) : null}
      <p class={notice.value === '' ? 'spoken' : 'warning'} role="status">
        {notice.value === '' && phase.value === 'recording' ? words.begun : notice.value}
      </p>
    </>
  );
}

function lengthOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
