/**
 * How the words of the provisioning file's reference are written: what each property means. Types
 * and bounds are the schema's (json-schema.ts); a test holds both to the same names.
 */

export interface PropertyDescription {
  readonly means: string;
  /** As it stands in a file. */
  readonly example: unknown;
  /** A new entry is refused without it. */
  readonly needed?: true;
  /** The value of a new entry without it. */
  readonly default?: unknown;
  /** The meaning of a new entry without it, where no one value says it. */
  readonly without?: string;
  /** The meaning of leaving it out of an entry that exists; unless told, the property stays. */
  readonly later?: string;
}

export interface ObjectDescription {
  readonly heading: string;
  /** Of the section's heading. */
  readonly level: 2 | 3;
  readonly means: string;
  /** An entry that exists keeps what the file leaves out; anything else is written anew. */
  readonly merges: boolean;
  readonly properties: Readonly<Record<string, PropertyDescription>>;
}

/** Of every entry that stands in a list. */
export const ref: PropertyDescription = {
  means: 'names the entry and stays its key over all runs: another ref is another entry',
  example: 'main',
};
export const remove: PropertyDescription = {
  means: 'takes the entry away; its id stays reserved, and the ref brings it back',
  example: true,
  default: false,
  later: 'the entry stays',
};
