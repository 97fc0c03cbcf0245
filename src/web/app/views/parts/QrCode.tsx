import { useEffect, useState } from 'preact/hooks';

/** Cameras need a light border of four modules. */
const border = 4;

/** A QR code that phones read from the screen. */
export function QrCode({ label, text }: { label: string; text: string }) {
  const [modules, setModules] = useState<boolean[][] | null>(null);
  useEffect(() => {
    // Few need it, so it is loaded for them alone.
    void import('qr').then(({ encodeQR }) => setModules(encodeQR(text, 'raw', { border })));
  }, [text]);
  if (!modules) return null;
  const path = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${modules.length} ${modules.length}`}>
      <path d={path} />
    </svg>
  );
}
