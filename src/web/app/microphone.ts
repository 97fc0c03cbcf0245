import type { Microphone, Recorded, Recording } from './state/surroundings.ts';

/** What browsers record, the first that this one can: their endings by type. */
const types: [type: string, ending: string][] = [
  ['audio/webm;codecs=opus', 'webm'],
  ['audio/mp4', 'm4a'],
  ['audio/ogg;codecs=opus', 'ogg'],
];
const sampleMs = 50;
/** A multiple of 3: base64 of it has no padding. */
const maxLevels = 60;

/** @returns undefined in browsers that cannot record, and on pages that are not secure */
export function ownMicrophone(): Microphone | undefined {
  if (typeof MediaRecorder === 'undefined' || !navigator.mediaDevices) return undefined;
  const found = types.find(([type]) => MediaRecorder.isTypeSupported(type));
  if (!found) return undefined;
  return {
    record: async () => new VoiceRecording(await navigator.mediaDevices.getUserMedia({ audio: true }), found),
  };
}

class VoiceRecording implements Recording {
  private readonly recorder: MediaRecorder;
  private readonly stream: MediaStream;
  private readonly context = new AudioContext();
  private readonly pieces: Blob[] = [];
  private readonly levels: number[] = [];
  private readonly begun = performance.now();
  private readonly timer: number;
  private readonly ending: string;

  constructor(stream: MediaStream, [type, ending]: [string, string]) {
    this.stream = stream;
    this.ending = ending;
    this.recorder = new MediaRecorder(stream, { mimeType: type, audioBitsPerSecond: 32_000 });
    this.recorder.ondataavailable = ({ data }) => this.pieces.push(data);
    const analyser = this.context.createAnalyser();
    analyser.fftSize = 1024;
    this.context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Uint8Array(analyser.fftSize);
    this.timer = window.setInterval(() => {
      analyser.getByteTimeDomainData(samples);
      this.levels.push(Math.max(...samples.map((sample) => Math.abs(sample - 128))));
    }, sampleMs);
    this.recorder.start(1000);
  }

  get elapsedMs(): number {
    return performance.now() - this.begun;
  }

  async stop(name: string): Promise<Recorded> {
    const durationMs = Math.max(1, Math.round(this.elapsedMs));
    const stopped = new Promise<void>((resolve) => {
      this.recorder.onstop = () => resolve();
    });
    this.recorder.stop();
    await stopped;
    this.end();
    const { mimeType: type } = this.recorder;
    const file = new File(this.pieces, `${name}.${this.ending}`, { type });
    return { file, durationMs, waveform: waveformOf(this.levels) };
  }

  discard(): void {
    this.recorder.onstop = null;
    if (this.recorder.state !== 'inactive') this.recorder.stop();
    this.end();
  }

  private end(): void {
    clearInterval(this.timer);
    for (const track of this.stream.getTracks()) track.stop();
    void this.context.close();
  }
}

/** The loudest of each part of the time, against the loudest of all. */
function waveformOf(levels: readonly number[]): string {
  const most = Math.max(1, ...levels);
  const count = Math.max(3, Math.min(maxLevels, levels.length - (levels.length % 3)));
  const bytes = Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * levels.length) / count);
    const part = levels.slice(from, Math.max(from + 1, Math.floor(((index + 1) * levels.length) / count)));
    return Math.round((Math.max(0, ...part) / most) * 255);
  });
  return btoa(String.fromCharCode(...bytes));
}
