/** A location as both networks report it: structured, and as a person reads it. */
import type { Location } from '../../../shared/message-content.ts';
import { placeText } from '../../../shared/text/content-text.ts';
import { type JsonRecord, textAt } from './webhook-body.ts';

export interface Place {
  readonly text: string | null;
  readonly location?: Location;
}

const LATITUDE_MAX = 90;
const LONGITUDE_MAX = 180;

/** @param otherwise the place's name where it has neither name nor address */
export function placeOf(part: JsonRecord, otherwise?: string): Place {
  const latitude = textAt(part, 'latitude');
  const longitude = textAt(part, 'longitude');
  const point = latitude && longitude ? `${latitude}, ${longitude}` : '';
  const name = textAt(part, 'name');
  const address = textAt(part, 'address');
  const shown = name ?? (address === undefined ? otherwise : undefined);
  const text = placeText([shown, address], point) || null;
  const degrees = { latitude: Number(latitude), longitude: Number(longitude) };
  if (point === '' || !isOnEarth(degrees)) return { text };
  return {
    text,
    location: {
      ...degrees,
      ...(shown === undefined ? {} : { name: shown }),
      ...(address === undefined ? {} : { address }),
    },
  };
}

function isOnEarth({ latitude, longitude }: Location): boolean {
  return Math.abs(latitude) <= LATITUDE_MAX && Math.abs(longitude) <= LONGITUDE_MAX;
}
