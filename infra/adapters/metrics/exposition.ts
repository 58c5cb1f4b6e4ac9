/** Prometheus' text format: merges the pages of several processes into one. */

export interface Exposition {
  /** Added to every sample. */
  readonly labels: Readonly<Record<string, string>>;
  readonly text: string;
}

interface Family {
  readonly head: string[];
  readonly samples: string[];
}

const HEAD = /^# (?:HELP|TYPE) (\S+)/;
const SAMPLE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+.*)$/;

/** One page: a metric that several processes have appears once, with the samples of all of them. */
export function mergeExpositions(parts: readonly Exposition[]): string {
  const families = new Map<string, Family>();
  for (const part of parts) addPart(families, part);
  return [...families.values()]
    .map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`)
    .join('');
}

function addPart(families: Map<string, Family>, { labels, text }: Exposition): void {
  const added = Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',');
  let family: Family = { head: [], samples: [] };
  for (const line of text.split('\n')) {
    const [, name] = HEAD.exec(line) ?? [];
    if (name !== undefined) {
      family = families.get(name) ?? { head: [], samples: [] };
      families.set(name, family);
      if (!family.head.includes(line) && family.samples.length === 0) family.head.push(line);
      continue;
    }
    const [, series, own, value] = SAMPLE.exec(line) ?? [];
    if (series === undefined) continue;
    const all = [own, added].filter((each) => each).join(',');
    family.samples.push(`${series}${all === '' ? '' : `{${all}}`} ${value}`);
  }
}
