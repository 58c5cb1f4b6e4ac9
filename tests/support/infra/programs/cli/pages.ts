/** Reads a page of metrics as Prometheus would. */
import assert from 'node:assert/strict';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Every sample of the page; fails on a line that is neither a sample nor a comment. */
export function samplesOf(page: string): readonly Sample[] {
  return page
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
      assert.notEqual(name, '', `a sample: ${line}`);
      const pairs = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text]);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

export async function fetchPage(url: string): Promise<string> {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  return response.text();
}

/** The sum of a metric's samples that have these labels. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([k, value]) => sample.labels[k] === value))
    .reduce((sum, sample) => sum + sample.value, 0);
}
