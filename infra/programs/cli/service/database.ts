/** The database, for the few commands that open it: its driver is a quarter of a start. */
export { connectMongo } from '../../../adapters/mongo/client.ts';
export { refuseSchema } from '../../../adapters/mongo/installation.ts';
export { describeDatabase } from '../../service/mongo-engine/database-place.ts';
