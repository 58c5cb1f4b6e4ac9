// Health check of a container: exit status 0 where an address answers 2xx within 4 s, else 1. The
// image has no curl.
const [url = ''] = process.argv.slice(2);
const answer = await fetch(url, { signal: AbortSignal.timeout(4_000) }).catch(() => null);
process.exit(answer?.ok ? 0 : 1);
