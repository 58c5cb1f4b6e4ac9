/** Door of persons: their documents. Gateways and programs ask their commands. */
import type { Document } from '../../shared/ports/store.ts';
import type { PersonState } from '../domain/person.ts';

declare module '../../shared/ports/store.ts' {
  interface Collections {
    readonly persons: PersonDocument;
  }
}

export interface PersonDocument extends Document, Omit<PersonState, 'id'> {}
