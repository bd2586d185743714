import type { AddedSettings } from '../../config/settings.ts';

export const SETTINGS: AddedSettings = {
  golive: {
    kind: 'flag',
    about: 'Whether requests and webhooks are observed for the go-live report',
    default: 'true',
  },
};

/** The settings that this tool adds to `createSandbox()`. */
export interface GoliveSettings {
  /** False observes nothing for the go-live report. */
  golive?: boolean | undefined;
}
