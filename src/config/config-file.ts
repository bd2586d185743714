/** Name of the configuration file in the working directory. */
export const CONFIG_FILE = 'sandlot.config.json';
