/**
 * Format of the descriptions in the provisioning file's reference: the meaning of each property.
 * Types and bounds are the schema's (json-schema.ts); a test holds both to the same names.
 */

export interface PropertyDescription {
  readonly means: string;
  /** As written in a file. */
  readonly example: unknown;
  /** A new entry is refused without it. */
  readonly needed?: true;
  /** The value of a new entry without it. */
  readonly default?: unknown;
  /** The meaning of a new entry without it, where no single default value exists. */
  readonly without?: string;
  /** The meaning of leaving it out of an existing entry; by default the property stays. */
  readonly later?: string;
}

export interface ObjectDescription {
  readonly heading: string;
  /** Of the section's heading. */
  readonly level: 2 | 3;
  readonly means: string;
  /**
   * An existing entry keeps the properties that the file leaves out; any other object is replaced.
   */
  readonly merges: boolean;
  readonly properties: Readonly<Record<string, PropertyDescription>>;
}

/** Of every entry in a list. */
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
