import sharp from 'sharp';

/** Colours of a landscape: its sky from above to the horizon, the sun, and hills from far to near. */
interface Mood {
  sky: [string, string];
  sun: string;
  hills: string[];
}

const moods: Mood[] = [
  { sky: ['#2b4c7e', '#f2a65a'], sun: '#ffe3b3', hills: ['#5d6d9e', '#3d4a78', '#232b4d'] },
  { sky: ['#8ecae6', '#fefae0'], sun: '#ffffff', hills: ['#a3c9a8', '#6a9c78', '#39624d'] },
  { sky: ['#f7b2bd', '#fff1e6'], sun: '#ff7d6e', hills: ['#c97b84', '#8d5a70', '#4f3b55'] },
  { sky: ['#14213d', '#3a506b'], sun: '#e0fbfc', hills: ['#2d4059', '#1f2f46', '#131f31'] },
  { sky: ['#bde0fe', '#e9f5db'], sun: '#fcbf49', hills: ['#cfe1b9', '#87a96b', '#4f7942'] },
];

const hill = (color: string, at: number, width: number, height: number): string => {
  const top = height * (0.52 + at * 0.15);
  const swing = height * (at % 2 === 0 ? 0.12 : -0.1);
  const [a, b] = [width * 0.3, width * 0.7];
  return `<path d="M0 ${top} C${a} ${top - swing} ${b} ${top + swing} ${width} ${top} V${height} H0 Z" fill="${color}"/>`;
};

/** A landscape; each number has another one. */
export async function landscape(which: number, width = 960, height = 640): Promise<Buffer<ArrayBuffer>> {
  const { sky, sun, hills } = moods[which % moods.length] ?? { sky: ['#000', '#000'], sun: '#fff', hills: [] };
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="sky" x2="0" y2="1">
      <stop stop-color="${sky[0]}"/><stop offset="0.7" stop-color="${sky[1]}"/>
    </linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <circle cx="${width * (0.25 + (which % 3) * 0.22)}" cy="${height * 0.4}" r="${height * 0.11}" fill="${sun}"/>
    ${hills.map((color, at) => hill(color, at, width, height)).join('')}
  </svg>`;
  return Buffer.from(await sharp(Buffer.from(svg)).webp({ quality: 70 }).toBuffer());
}

/** The sign of the team: a leaf. */
export async function leaf(): Promise<Buffer<ArrayBuffer>> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256">
    <rect width="256" height="256" fill="#1f6f54"/>
    <path d="M56 200 C44 96 120 48 208 52 C212 140 164 212 56 200 Z" fill="#c8f2d4"/>
    <path d="M60 204 C96 152 132 116 176 84" fill="none" stroke="#1f6f54" stroke-width="12" stroke-linecap="round"/>
  </svg>`;
  return Buffer.from(await sharp(Buffer.from(svg)).png().toBuffer());
}
