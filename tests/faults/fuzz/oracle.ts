/**
 * Oracle of every answer, for any request.
 * 1. Never a 500 or a 503 while everything runs.
 * 2. Nothing that the OpenAPI document does not contain.
 * 3. Text has its charset.
 * 4. A refusal is a Portuguese sentence, a 422 points at something.
 * 5. Nothing of the service's insides.
 */
import assert from 'node:assert/strict';
import type { Answer } from '../../support/api.ts';
import { assertDocumented } from '../../support/conformance.ts';
import type { Operation } from './document.ts';
import type { Request } from './requests.ts';

const INSIDES = /\bat .{1,200}\.[jt]s:\d+|node_modules|node:internal|\b\w*Error: |E11000|mongodb:/;
const SENTENCE = /^\p{Lu}.+\.$/su;
const ID = /^[A-Za-z0-9_-]{1,40}$/;

export class Oracle {
  readonly #places: readonly { readonly pattern: RegExp; readonly operation: Operation }[];

  constructor(operations: readonly Operation[]) {
    this.#places = operations.map((operation) => ({
      operation,
      pattern: new RegExp(
        `^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')}$`,
      ),
    }));
  }

  /** The operation that a request means; null when it means none. */
  operationOf({ method, target }: Pick<Request, 'method' | 'target'>): Operation | null {
    const [path = ''] = target.split(/[?#]/);
    for (const { pattern, operation } of this.#places) {
      const match = pattern.exec(path);
      if (match?.slice(1).every((id) => ID.test(id)) && operation.method === method) {
        return operation;
      }
    }
    return null;
  }

  /** Fails unless the answer is one that the document tells of. */
  judge(request: Request, answer: Answer): void {
    const { method } = request;
    const { status, headers, text } = answer;
    assert.ok(status !== 500 && status !== 503, `${status}: ${text}`);
    assertDocumented(method, this.#documentedPath(request), answer);
    if (method === 'HEAD') return;
    const type = headers.get('content-type') ?? '';
    if (/^(text\/|application\/json)/.test(type)) assert.match(type, /; charset=utf-8$/);
    if (status < 400) return;
    assert.doesNotMatch(text, INSIDES);
    const { error, issues, data } = Object(answer.json);
    // A start that was skipped says so in `data` (C4.11).
    if (data === undefined) assert.match(String(error), SENTENCE);
    if (status === 422) assert.ok(Array.isArray(issues) && issues.length > 0, text);
  }

  /** A path whose parameter could not be an id belongs to no operation. */
  #documentedPath({ target }: Request): string {
    const [path = ''] = target.split(/[?#]/);
    const named = this.#places.flatMap(({ pattern }) => pattern.exec(path)?.slice(1) ?? []);
    return named.every((id) => ID.test(id)) ? path : '/nowhere';
  }
}
