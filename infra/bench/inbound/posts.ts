/**
 * A network's webhooks as a load: signed POSTs, a fixed number concurrently, until all are
 * accepted.
 */
import * as v from 'valibot';
import type { WebhookPost } from '../../programs/simulator/webhooks/entry.ts';
import type { ChildProcesses } from '../child-processes.ts';

const PostsSchema = v.object({
  port: v.number(),
  inFlight: v.number(),
  posts: v.array(
    v.object({ path: v.string(), headers: v.record(v.string(), v.string()), body: v.string() }),
  ),
});

const PostsResultSchema = v.object({
  seconds: v.number(),
  p50Ms: v.number(),
  p99Ms: v.number(),
  /** POSTs that were not answered 200. */
  refused: v.number(),
});
export type PostsResult = v.InferOutput<typeof PostsResultSchema>;

export function parsePosts(text: string): v.InferOutput<typeof PostsSchema> {
  return v.parse(PostsSchema, JSON.parse(text));
}

/** Makes the POSTs, in a process of its own. */
export async function sendPosts(
  children: ChildProcesses,
  { port, inFlight, posts }: PostsPlan,
): Promise<PostsResult> {
  const plain = posts.map(({ url, headers, body }) => ({
    path: new URL(url).pathname,
    headers,
    body: Buffer.from(body).toString('utf8'),
  }));
  const printed = await children.run(['infra/bench/inbound/posts-process.ts'], {
    input: JSON.stringify({ port, inFlight, posts: plain }),
  });
  const taken = v.parse(PostsResultSchema, JSON.parse(printed));
  if (taken.refused > 0) throw new Error(`${taken.refused} webhooks were not taken`);
  return taken;
}

export interface PostsPlan {
  readonly port: number;
  readonly inFlight: number;
  readonly posts: readonly WebhookPost[];
}
