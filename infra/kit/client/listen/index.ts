/** `recado-client/listen`. */
export { listen } from './listener.ts';
