/** Document of a person. Gateways and programs ask the commands. */
import type { Document } from '../../shared/ports/store.ts';
import type { PersonState } from '../domain/person.ts';

export interface PersonDocument extends Document, Omit<PersonState, 'id'> {}
