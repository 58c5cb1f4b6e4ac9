/**
 * The server's answer to a query explained: the stages of the plan it chooses, and what they read.
 */
import type { Document as BsonDocument, Filter as BsonFilter, Db } from 'mongodb';
import type { Question } from './recorder.ts';

export interface Plan {
  readonly stages: ReadonlySet<string>;
  readonly returned: number;
  readonly documentsRead: number;
}

export async function planOf(db: Db, question: Question): Promise<Plan> {
  const explained = await explain(db, question);
  const stages = new Set<string>();
  let read = { returned: 0, documentsRead: 0 };
  walk(explained, (node) => {
    if ('winningPlan' in node) walk(node.winningPlan, ({ stage }) => stages.add(String(stage)));
    if ('totalDocsExamined' in node) {
      read = { returned: Number(node.nReturned), documentsRead: Number(node.totalDocsExamined) };
    }
  });
  stages.delete('undefined');
  return { stages, ...read };
}

function explain(db: Db, { how, collection, filter, options }: Question): Promise<unknown> {
  const match = filter as BsonFilter<BsonDocument>;
  const hint = options.index ? { hint: { ...options.index } } : {};
  if (how === 'count') {
    const pipeline = [{ $match: match }, { $group: { _id: 1, n: { $sum: 1 } } }];
    return db.collection(collection).aggregate(pipeline, hint).explain('executionStats');
  }
  const { sort = {}, skip = 0, limit = 0, project = {} } = options;
  return db
    .collection(collection)
    .find(match, hint)
    .sort({ ...sort })
    .skip(skip)
    .limit(limit)
    .project({ ...project })
    .explain('executionStats');
}

type Node = Readonly<Record<string, unknown>>;

function walk(value: unknown, visit: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(Object.fromEntries(Object.entries(value)));
  for (const each of Object.values(value)) walk(each, visit);
}
