/**
 * One request that ends when its signal is aborted. undici checks a signal only once it has a
 * connection. So a name that does not resolve would hold the request until its connection times
 * out.
 */
import { type Dispatcher, request } from 'undici';

type BoundedOptions = Omit<Dispatcher.RequestOptions, 'origin' | 'path' | 'signal'> & {
  readonly dispatcher: Dispatcher;
};

/** Resolves with the response head; rejects with the signal's reason as soon as it is aborted. */
export async function boundedRequest(
  url: URL,
  options: BoundedOptions,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([request(url, { ...options, signal }), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
