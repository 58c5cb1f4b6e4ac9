/** Input and output of a trigger. */
import type { Service } from '../service/service.ts';
import type { Target } from './target.ts';

export interface Provocation {
  readonly service: Service;
  readonly target: Target;
  /** The message, or the title of what is made. */
  readonly text: string;
}

/** Ids by their names in the event. */
export type Made = Readonly<Record<string, string>>;
