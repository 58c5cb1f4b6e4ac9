/**
 * Lines of the actors' code that query the record: `<path> <n>`, for the n-th such line of a file.
 */
import { readTexts } from '../../../../infra/tools/source.ts';

const ASKS = /[sS]tore\s*\.(?:find|findOne|count)\b(?:<[^(]*>)?\((?![^()]*, \{\}\))/g;

const sites = new Map<string, string>();
for (const { path, text } of readTexts()) {
  if (!path.startsWith('actors/')) continue;
  let nth = 0;
  for (const { index, 0: asked } of text.matchAll(ASKS)) {
    const line = text.slice(0, index + asked.indexOf('.')).split('\n').length;
    sites.set(`${path}:${line}`, `${path} ${++nth}`);
  }
}

/** The name of a line of code; undefined where the line issues no query. */
export function siteAt(path: string, line: number): string | undefined {
  return sites.get(`${path}:${line}`);
}

export function askingLines(): readonly string[] {
  return [...sites.values()];
}
