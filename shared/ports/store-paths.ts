/**
 * Paths into the documents of a collection, and the types of their values.
 *
 * 1. A path goes through lists by their elements, and into a record by any name.
 * 2. It has three parts at most: a document's type may be recursive, and each level costs the
 *    compiler time.
 * 3. A packed part has no path: the engine knows only the text that holds it.
 */
import type { Collection, Document } from './collection.ts';

/** The parts that may follow, by those that may still be named. */
type Deeper = readonly [never, 0];
type Depth = 0 | 1;

type Plain = string | number | boolean | null | undefined;

type Below<Value, Left extends Depth> = Value extends Plain
  ? never
  : Value extends readonly (infer Each)[]
    ? Below<Each, Left>
    : PathsIn<Value, Left>;

type PathsIn<Value, Left extends Depth> = {
  [Name in keyof Value & string]-?: string extends Name
    ? string
    : Name | (Left extends 0 ? never : `${Name}.${Below<Value[Name], Deeper[Left]>}`);
}[keyof Value & string];

/** Paths that filters, orders and changes may name. */
export type Path<Col extends Collection> =
  Col extends Collection<infer Doc, infer Packed, infer InText>
    ? {
        [Name in Exclude<keyof Doc & string, InText>]-?:
          | Name
          | (Name extends keyof Packed
              ? `${Name}.${Packed[Name] & string}`
              : `${Name}.${Below<Doc[Name], 1>}`);
      }[Exclude<keyof Doc & string, InText>]
    : never;

/** Fields that a query may ask for. */
export type Field<Col extends Collection> = Path<Col> | (keyof Col['document'] & string);

export type ValueAt<Value, At extends string> = Value extends Plain
  ? undefined
  : Value extends readonly (infer Each)[]
    ? ValueAt<Each, At>
    : At extends keyof Value
      ? Value[At]
      : At extends `${infer Name}.${infer Rest}`
        ? Name extends keyof Value
          ? ValueAt<Value[Name], Rest>
          : undefined
        : undefined;

type Head<At> = At extends `${infer Name}.${string}` ? Name : At;
type Tail<At, Name extends string> = At extends `${Name}.${infer Rest}` ? Rest : never;

type Picked<Value, At extends string> = Value extends Plain
  ? Value
  : Value extends readonly (infer Each)[]
    ? readonly Picked<Each, At>[]
    : {
        [Name in keyof Value as Name extends Head<At> ? Name : never]: Name extends At
          ? Value[Name]
          : Picked<Value[Name], Tail<At, Name & string>>;
      };

/** A document by its projection; without one, whole. */
export type Found<Doc extends Document, At extends string> = Document &
  ([At] extends [never] ? Doc : Picked<Doc, At | '_id'>);

/** A document without some fields. */
export type Without<Doc extends Document, At extends string> = Document &
  (Doc extends unknown ? Omit<Doc, At> : never);
