/** Moves the Opus of a browser's WebM into Ogg, as it is: nothing is encoded anew. Loaded on use. */
import {
  BlobSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  Input,
  OggOutputFormat,
  Output,
  WEBM,
} from 'mediabunny';

/** Null where nothing was recorded. */
export async function oggOf(webm: Blob): Promise<ArrayBuffer | null> {
  const input = new Input({ source: new BlobSource(webm), formats: [WEBM] });
  const track = await input.getPrimaryAudioTrack();
  const decoderConfig = await track?.getDecoderConfig();
  if (!track || !decoderConfig) return null;
  const target = new BufferTarget();
  const output = new Output({ format: new OggOutputFormat(), target });
  const source = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(source);
  await output.start();
  for await (const packet of new EncodedPacketSink(track).packets()) {
    await source.add(packet, { decoderConfig });
  }
  await output.finalize();
  return target.buffer;
}
