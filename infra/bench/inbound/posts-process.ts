/** The webhooks' process: reads the POSTs from its input, prints their latencies. */
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';
import { quantile } from '../rounds.ts';
import { type PostsResult, parsePosts } from './posts.ts';

const { port, inFlight, posts } = parsePosts(await text(process.stdin));
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: inFlight });
const latencies: number[] = [];
let next = 0;
let refused = 0;

async function goOn(): Promise<void> {
  for (let post = posts[next++]; post !== undefined; post = posts[next++]) {
    const askedAt = performance.now();
    const answer = await pool.request({ ...post, method: 'POST' });
    await answer.body.dump();
    if (answer.statusCode !== 200) refused++;
    latencies.push(performance.now() - askedAt);
  }
}

const startedAt = performance.now();
await Promise.all(Array.from({ length: inFlight }, goOn));
const seconds = (performance.now() - startedAt) / 1000;
latencies.sort((a, b) => a - b);
const taken: PostsResult = {
  seconds,
  p50Ms: quantile(latencies, 0.5),
  p99Ms: quantile(latencies, 0.99),
  refused,
};
process.stdout.write(JSON.stringify(taken));
await pool.close();
