/** A short sound of two tones. A browser is silent until its person has pressed something. */

const TONES = [660, 880] as const;
const TONE_S = 0.12;
const LOUDNESS = 0.08;

let output: AudioContext | null = null;

/** By a press of the person: from now on there may be sounds. */
export function allowSound(): void {
  output ??= new AudioContext();
  void output.resume();
}

export function ring(): void {
  output ??= new AudioContext();
  const { currentTime, destination } = output;
  void output.resume();
  for (const [index, frequency] of TONES.entries()) {
    const tone = new OscillatorNode(output, { frequency });
    const gain = new GainNode(output, { gain: LOUDNESS });
    tone.connect(gain).connect(destination);
    const from = currentTime + index * TONE_S;
    tone.start(from);
    tone.stop(from + TONE_S);
  }
}
