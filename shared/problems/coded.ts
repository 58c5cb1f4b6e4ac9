/**
 * Problems as codes: whoever finds one names it, and whoever prints it has the sentence. So a
 * sentence that a language lacks does not compile, and no program reads another's sentences.
 */

/** A code of `Params`, with what its sentence says. */
export type Coded<Params> = {
  readonly [Code in keyof Params]: { readonly code: Code; readonly params: Params[Code] };
}[keyof Params];

/** One language. */
export type Sentences<Params> = {
  readonly [Code in keyof Params]: (params: Params[Code]) => string;
};

export interface CodeWithParams<Params, Code extends keyof Params> {
  readonly code: Code;
  readonly params: Params[Code];
}

export function sentenceOf<Params, Code extends keyof Params>(
  sentences: Sentences<Params>,
  { code, params }: CodeWithParams<Params, Code>,
): string {
  return sentences[code](params);
}

/** Params of a code whose sentence is always the same. */
export type None = Readonly<Record<string, never>>;

/** English words as they are: of another program, or of a start that was refused. */
export interface Foreign {
  readonly text: string;
}
