/** Operations on a database, as actors issue them, and the shapes that two of them share. */
import type { Filter, FindOptions, Write } from '../../../../support/plain-store.ts';
import { isFields } from '../value.ts';

export interface Read {
  readonly read: 'find' | 'findOne' | 'byId' | 'count';
  readonly collection: string;
  /** `_id` alone for `byId`. */
  readonly filter: Filter;
  readonly options: FindOptions;
}

export type Operation = { readonly commit: readonly Write[] } | Read;

/** Names of no meaning of their own: a key's window, a field of a contact. */
function nameOf(path: string): string {
  const [head = '', ...rest] = path.split('.');
  return rest.length > 0 ? `${head}.…` : head;
}

function wantedOf(filter: Filter): string {
  const wanted = Object.entries(filter).flatMap(([path, value]) => {
    if (value === undefined) return [];
    const operators = isFields(value) ? Object.keys(value).filter((each) => each[0] === '$') : [];
    return [`${path} ${operators.length > 0 ? operators.sort().join(' ') : '='}`];
  });
  return `{${wanted.sort().join(', ')}}`;
}

function changedOf(change: Extract<Write, { update: string }>['change']): string {
  if (Array.isArray(change)) return `a pipeline of ${change.length}`;
  const operators = Object.entries(change).flatMap(([operator, operands]) => {
    const paths = Object.keys(Object(operands));
    const deep = paths.some((path) => path.includes('.')) ? ' deep' : '';
    return operator === '$set' ? [`${operator}${deep}`] : [`${operator} ${paths.map(nameOf)}`];
  });
  return operators.sort().join(', ');
}

function writeShape(write: Write): string {
  if ('insert' in write) return `insert ${write.insert}`;
  if ('remove' in write) return `remove ${write.remove} ${wantedOf(write.filter)}`;
  const how = `${write.upsert ? ' or insert' : ''}${write.many ? ' in many' : ''}`;
  return `update ${write.update} ${wantedOf(write.filter)} ${changedOf(write.change)}${how}`;
}

/** Shapes of an operation: equal for operations that differ in their values only. */
export function shapesOf(operation: Operation): readonly string[] {
  if ('commit' in operation) return operation.commit.map(writeShape);
  const { read, collection, filter, options } = operation;
  const { sort, skip, limit, project, wholeMaxBytes } = options;
  const parts = [
    read,
    collection,
    wantedOf(filter),
    ...(sort ? [`by ${Object.entries(sort).map(([path, by]) => `${path} ${by}`)}`] : []),
    ...(skip !== undefined ? ['skip'] : []),
    ...(limit !== undefined ? ['limit'] : []),
    ...(wholeMaxBytes !== undefined ? ['sized'] : []),
    ...(project ? [`only ${Object.entries(project).map(([path, on]) => `${path} ${on}`)}`] : []),
  ];
  return [parts.join(' ')];
}
