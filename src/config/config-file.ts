/** What the configuration file is called, in the working directory. */
export const CONFIG_FILE = 'sandlot.config.json';
