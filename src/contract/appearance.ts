/** The colours of the web client; `contrast`: with high contrast. The web client imports this too. */
export const themes = ['light', 'dark', 'contrast'] as const;
export type Theme = (typeof themes)[number];

/** How the hours of a day are counted: twice to 12, or to 23. */
export const hourCycles = ['h12', 'h23'] as const;
export type HourCycle = (typeof hourCycles)[number];
