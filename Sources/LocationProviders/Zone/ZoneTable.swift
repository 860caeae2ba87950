/// Where the people of each time zone live; written by Scripts/generate_time_zones.py.
///
/// Each row has the name of the zone, the latitude and longitude of the center of its
/// people, and the kilometers around it that hold 68 % of them. From the places of GeoNames
/// (geonames.org, CC BY 4.0); older names by the links of tzdata.
enum ZoneTable {
  static let rows = """
    Africa/Abidjan 6.55 -5.20 203;Africa/Accra 6.41 -0.98 135;Africa/Addis_Ababa 9.23 39.09 336;\
    Africa/Algiers 35.60 3.51 324;Africa/Asmara 15.22 38.87 15;Africa/Asmera 15.22 38.87 15;\
    Africa/Bamako 12.99 -7.09 146;Africa/Bangui 4.98 18.41 266;Africa/Banjul 13.41 -16.33 41;\
    Africa/Bissau 11.92 -15.45 20;Africa/Blantyre -14.25 34.35 185;\
    Africa/Brazzaville -3.90 14.22 279;Africa/Bujumbura -3.35 29.53 45;Africa/Cairo 29.82 31.22 171;\
    Africa/Casablanca 33.40 -6.65 236;Africa/Ceuta 35.29 -2.94 5;Africa/Conakry 9.78 -12.78 104;\
    Africa/Dakar 14.66 -16.64 87;Africa/Dar_es_Salaam -5.90 36.10 451;Africa/Djibouti 11.56 43.07 9;\
    Africa/Douala 5.42 11.19 225;Africa/El_Aaiun 25.87 -14.04 299;Africa/Freetown 8.35 -12.28 107;\
    Africa/Gaborone -23.27 25.91 238;Africa/Harare -18.55 30.50 170;\
    Africa/Johannesburg -28.42 27.05 419;Africa/Juba 6.62 29.92 372;Africa/Kampala 0.59 32.22 176;\
    Africa/Khartoum 14.71 31.66 428;Africa/Kigali -1.98 29.78 67;Africa/Kinshasa -3.99 15.72 60;\
    Africa/Lagos 7.92 5.96 333;Africa/Libreville -0.17 10.40 190;Africa/Lome 6.85 1.15 81;\
    Africa/Luanda -9.87 14.27 290;Africa/Lubumbashi -5.64 25.86 689;Africa/Lusaka -13.86 28.42 287;\
    Africa/Malabo 2.47 9.51 165;Africa/Maputo -19.97 35.35 725;Africa/Maseru -29.41 27.72 66;\
    Africa/Mbabane -26.47 31.34 27;Africa/Mogadishu 4.94 44.97 524;Africa/Monrovia 6.36 -10.35 50;\
    Africa/Nairobi -0.94 36.80 266;Africa/Ndjamena 11.57 16.62 325;Africa/Niamey 14.10 5.10 330;\
    Africa/Nouakchott 17.83 -14.19 243;Africa/Ouagadougou 12.15 -2.07 180;\
    Africa/Porto-Novo 7.66 2.33 145;Africa/Sao_Tome 0.32 6.70 5;Africa/Timbuktu 12.99 -7.09 146;\
    Africa/Tripoli 31.94 15.54 428;Africa/Tunis 35.83 10.20 132;Africa/Windhoek -21.49 17.08 413;\
    America/Anchorage 61.68 -150.28 102;America/Anguilla 18.21 -63.05 6;\
    America/Antigua 17.11 -61.82 7;America/Araguaina -9.36 -48.32 276;\
    America/Argentina/Buenos_Aires -35.21 -58.83 87;America/Argentina/Catamarca -36.77 -66.43 974;\
    America/Argentina/ComodRivadavia -36.77 -66.43 974;America/Argentina/Cordoba -30.39 -60.87 374;\
    America/Argentina/Jujuy -24.02 -65.15 38;America/Argentina/La_Rioja -29.34 -66.92 60;\
    America/Argentina/Mendoza -33.64 -68.58 102;America/Argentina/Rio_Gallegos -49.10 -69.04 285;\
    America/Argentina/Salta -32.20 -66.15 825;America/Argentina/San_Juan -31.51 -68.52 9;\
    America/Argentina/San_Luis -33.35 -65.92 57;America/Argentina/Tucuman -26.87 -65.26 8;\
    America/Argentina/Ushuaia -54.32 -68.00 63;America/Aruba 12.52 -70.00 8;\
    America/Asuncion -25.27 -57.08 57;America/Atikokan 52.99 -89.94 486;\
    America/Bahia -12.88 -39.88 263;America/Bahia_Banderas 20.76 -105.31 7;\
    America/Barbados 13.12 -59.61 5;America/Belem -2.26 -49.00 280;America/Belize 17.44 -88.54 80;\
    America/Blanc-Sablon 51.10 -58.81 18;America/Boa_Vista 2.73 -60.66 15;\
    America/Bogota 5.90 -74.86 331;America/Boise 43.44 -114.99 141;\
    America/Buenos_Aires -35.21 -58.83 87;America/Cambridge_Bay 68.74 -105.50 389;\
    America/Campo_Grande -20.93 -54.62 213;America/Cancun 20.57 -87.23 79;\
    America/Caracas 9.84 -67.81 395;America/Catamarca -36.77 -66.43 974;\
    America/Cayenne 4.96 -52.87 68;America/Cayman 19.32 -81.24 15;America/Chicago 36.75 -92.79 783;\
    America/Chihuahua 28.44 -106.21 78;America/Ciudad_Juarez 31.70 -106.50 5;\
    America/Coral_Harbour 52.99 -89.94 486;America/Cordoba -30.39 -60.87 374;\
    America/Costa_Rica 9.97 -84.16 36;America/Coyhaique -45.53 -72.27 36;\
    America/Creston 49.11 -116.51 5;America/Cuiaba -14.26 -55.83 283;America/Curacao 12.14 -68.91 5;\
    America/Dawson 64.06 -139.43 5;America/Dawson_Creek 55.99 -120.73 41;\
    America/Denver 39.16 -107.48 445;America/Detroit 42.72 -83.96 91;\
    America/Dominica 15.38 -61.37 17;America/Edmonton 52.24 -113.82 148;\
    America/Eirunepe -5.96 -70.57 187;America/El_Salvador 13.70 -89.06 63;\
    America/Ensenada 32.40 -116.44 83;America/Fort_Nelson 58.81 -122.70 5;\
    America/Fort_Wayne 40.18 -86.03 109;America/Fortaleza -5.09 -40.10 524;\
    America/Glace_Bay 46.15 -60.17 10;America/Godthab 65.60 -50.53 403;\
    America/Goose_Bay 53.56 -63.34 248;America/Grand_Turk 21.75 -72.11 17;\
    America/Grenada 12.14 -61.70 12;America/Guadeloupe 16.21 -61.55 23;\
    America/Guatemala 14.77 -90.73 86;America/Guayaquil -1.42 -79.29 158;\
    America/Guyana 6.61 -58.10 71;America/Halifax 44.91 -63.54 30;America/Havana 22.24 -80.26 260;\
    America/Hermosillo 29.24 -110.91 231;America/Indiana/Indianapolis 40.18 -86.03 109;\
    America/Indiana/Knox 41.29 -86.63 15;America/Indiana/Marengo 38.35 -86.35 7;\
    America/Indiana/Petersburg 38.46 -87.26 5;America/Indiana/Tell_City 37.94 -86.76 5;\
    America/Indiana/Vevay 38.75 -85.07 5;America/Indiana/Vincennes 38.52 -87.04 26;\
    America/Indiana/Winamac 41.04 -86.71 16;America/Indianapolis 40.18 -86.03 109;\
    America/Inuvik 68.36 -133.73 5;America/Iqaluit 65.90 -72.42 532;America/Jamaica 18.05 -76.97 21;\
    America/Jujuy -24.02 -65.15 38;America/Juneau 58.23 -134.44 9;\
    America/Kentucky/Louisville 38.14 -85.73 14;America/Kentucky/Monticello 36.83 -84.85 5;\
    America/Knox_IN 41.29 -86.63 15;America/Kralendijk 13.21 -67.30 158;\
    America/La_Paz -17.40 -65.74 275;America/Lima -11.11 -76.35 519;\
    America/Los_Angeles 37.57 -119.51 454;America/Louisville 38.14 -85.73 14;\
    America/Lower_Princes 18.04 -63.06 5;America/Maceio -10.10 -36.66 113;\
    America/Managua 12.36 -86.12 84;America/Manaus -3.44 -60.97 205;America/Marigot 18.07 -63.07 5;\
    America/Martinique 14.63 -61.00 12;America/Matamoros 26.91 -98.81 174;\
    America/Mazatlan 23.92 -107.58 273;America/Mendoza -33.64 -68.58 102;\
    America/Menominee 45.84 -88.45 105;America/Merida 18.87 -91.10 308;\
    America/Metlakatla 55.13 -131.58 5;America/Mexico_City 19.53 -99.34 255;\
    America/Miquelon 46.83 -56.21 7;America/Moncton 46.15 -65.76 101;\
    America/Monterrey 25.06 -100.94 255;America/Montevideo -34.04 -56.25 149;\
    America/Montreal 44.79 -77.06 284;America/Montserrat 16.79 -62.20 5;\
    America/Nassau 25.43 -77.61 99;America/New_York 38.20 -77.23 611;\
    America/Nipigon 44.79 -77.06 284;America/Nome 63.39 -164.63 354;America/Noronha -3.84 -32.41 5;\
    America/North_Dakota/Beulah 47.28 -101.69 7;America/North_Dakota/Center 47.12 -101.30 5;\
    America/North_Dakota/New_Salem 46.83 -100.97 7;America/Nuuk 65.60 -50.53 403;\
    America/Ojinaga 29.83 -104.73 42;America/Panama 8.85 -80.11 82;\
    America/Pangnirtung 65.90 -72.42 532;America/Paramaribo 5.80 -55.21 9;\
    America/Phoenix 33.34 -111.93 50;America/Port-au-Prince 18.79 -72.52 53;\
    America/Port_of_Spain 10.48 -61.40 25;America/Porto_Acre -9.46 -69.07 197;\
    America/Porto_Velho -10.39 -62.78 220;America/Puerto_Rico 18.31 -66.29 44;\
    America/Punta_Arenas -52.98 -71.10 24;America/Rainy_River 50.05 -97.27 28;\
    America/Rankin_Inlet 63.99 -92.47 331;America/Recife -8.21 -36.07 133;\
    America/Regina 51.61 -105.87 156;America/Rio_Branco -9.46 -69.07 197;\
    America/Rosario -30.39 -60.87 374;America/Santa_Isabel 32.40 -116.44 83;\
    America/Santarem -2.97 -54.57 215;America/Santiago -33.59 -71.20 345;\
    America/Santo_Domingo 18.77 -70.12 93;America/Sao_Paulo -22.78 -47.02 504;\
    America/Shiprock 39.16 -107.48 445;America/Sitka 56.36 -133.34 155;\
    America/St_Barthelemy 17.90 -62.85 5;America/St_Johns 47.94 -53.81 93;\
    America/St_Kitts 17.29 -62.73 15;America/St_Lucia 13.95 -60.97 14;\
    America/St_Thomas 17.95 -64.80 45;America/St_Vincent 13.16 -61.21 5;\
    America/Swift_Current 50.28 -107.80 5;America/Tegucigalpa 14.88 -87.45 122;\
    America/Thule 77.47 -69.23 5;America/Thunder_Bay 44.79 -77.06 284;\
    America/Tijuana 32.40 -116.44 83;America/Toronto 44.79 -77.06 284;America/Tortola 18.43 -64.56 7;\
    America/Vancouver 49.33 -122.76 45;America/Virgin 17.95 -64.80 45;\
    America/Whitehorse 60.76 -134.70 20;America/Winnipeg 50.05 -97.27 28;\
    America/Yakutat 59.55 -139.73 5;America/Yellowknife 52.24 -113.82 148;\
    Arctic/Longyearbyen 78.19 15.43 7;Asia/Aden 14.37 44.67 182;Asia/Almaty 47.05 73.82 604;\
    Asia/Amman 32.03 35.95 37;Asia/Anadyr 66.21 177.18 483;Asia/Aqtau 43.67 51.93 84;\
    Asia/Aqtobe 50.02 57.37 32;Asia/Ashgabat 38.75 59.45 346;Asia/Ashkhabad 38.75 59.45 346;\
    Asia/Atyrau 47.24 52.02 77;Asia/Baghdad 33.67 44.80 321;Asia/Bahrain 26.18 50.57 10;\
    Asia/Baku 40.37 48.83 114;Asia/Bangkok 17.27 103.45 503;Asia/Barnaul 52.81 83.42 159;\
    Asia/Beirut 33.86 35.54 7;Asia/Bishkek 41.88 73.91 178;Asia/Brunei 4.84 114.78 32;\
    Asia/Calcutta 21.00 78.41 903;Asia/Chita 51.71 114.64 176;Asia/Choibalsan 47.87 106.43 216;\
    Asia/Chongqing 31.97 114.70 993;Asia/Chungking 31.97 114.70 993;Asia/Colombo 7.25 80.26 120;\
    Asia/Dacca 23.65 90.42 150;Asia/Damascus 35.11 37.15 195;Asia/Dhaka 23.65 90.42 150;\
    Asia/Dili -8.72 125.65 51;Asia/Dubai 24.99 55.24 55;Asia/Dushanbe 39.06 69.39 146;\
    Asia/Famagusta 35.15 33.81 28;Asia/Gaza 31.44 34.40 15;Asia/Harbin 31.97 114.70 993;\
    Asia/Hebron 31.92 35.18 40;Asia/Ho_Chi_Minh 11.94 106.74 236;Asia/Hong_Kong 22.33 114.15 10;\
    Asia/Hovd 48.41 93.05 282;Asia/Irkutsk 53.52 104.42 303;Asia/Istanbul 39.52 32.30 405;\
    Asia/Jakarta -5.08 106.99 540;Asia/Jayapura -2.75 133.81 769;Asia/Jerusalem 32.11 34.99 49;\
    Asia/Kabul 34.64 67.91 242;Asia/Kamchatka 53.58 158.82 59;Asia/Karachi 30.27 71.40 417;\
    Asia/Kashgar 42.27 83.54 512;Asia/Kathmandu 27.66 84.71 159;Asia/Katmandu 27.66 84.71 159;\
    Asia/Kolkata 21.00 78.41 903;Asia/Krasnoyarsk 56.58 92.47 315;Asia/Kuala_Lumpur 3.42 101.97 273;\
    Asia/Kuching 4.01 114.56 434;Asia/Kuwait 29.20 48.05 15;Asia/Macao 22.19 113.55 5;\
    Asia/Macau 22.19 113.55 5;Asia/Magadan 60.53 150.47 227;Asia/Makassar -4.11 118.76 617;\
    Asia/Manila 12.25 122.38 444;Asia/Muscat 23.26 57.67 84;Asia/Nicosia 34.97 33.23 36;\
    Asia/Novokuznetsk 54.56 86.62 96;Asia/Novosibirsk 54.99 82.47 30;Asia/Omsk 55.09 73.35 11;\
    Asia/Oral 51.08 51.37 20;Asia/Phnom_Penh 11.81 104.72 108;Asia/Pontianak -0.59 110.80 283;\
    Asia/Pyongyang 39.54 126.54 161;Asia/Qatar 25.33 51.48 11;Asia/Qostanay 51.84 63.43 158;\
    Asia/Qyzylorda 45.04 65.03 51;Asia/Rangoon 18.66 96.19 286;Asia/Riyadh 23.81 43.02 471;\
    Asia/Saigon 11.94 106.74 236;Asia/Sakhalin 47.90 142.66 142;Asia/Samarkand 40.22 64.61 357;\
    Asia/Seoul 36.58 127.52 135;Asia/Shanghai 31.97 114.70 993;Asia/Singapore 1.33 103.85 9;\
    Asia/Taipei 24.37 121.05 90;Asia/Tashkent 40.97 70.51 117;Asia/Tbilisi 41.90 43.81 104;\
    Asia/Tehran 34.37 51.63 529;Asia/Tel_Aviv 32.11 34.99 49;Asia/Thimbu 27.27 89.99 67;\
    Asia/Thimphu 27.27 89.99 67;Asia/Tokyo 35.60 137.21 285;Asia/Tomsk 56.92 84.48 56;\
    Asia/Ujung_Pandang -4.11 118.76 617;Asia/Ulaanbaatar 47.87 106.43 216;\
    Asia/Ulan_Bator 47.87 106.43 216;Asia/Urumqi 42.27 83.54 512;Asia/Vientiane 18.02 103.27 226;\
    Asia/Vladivostok 46.24 133.85 382;Asia/Yakutsk 56.32 126.69 675;Asia/Yangon 18.66 96.19 286;\
    Asia/Yekaterinburg 56.60 60.44 379;Asia/Yerevan 40.25 44.56 31;Atlantic/Azores 38.18 -26.67 124;\
    Atlantic/Bermuda 32.30 -64.78 8;Atlantic/Canary 28.28 -15.73 85;\
    Atlantic/Cape_Verde 15.65 -23.89 149;Atlantic/Faeroe 62.03 -6.81 21;\
    Atlantic/Faroe 62.03 -6.81 21;Atlantic/Madeira 32.68 -16.92 8;Atlantic/Reykjavik 64.31 -21.42 37;\
    Atlantic/South_Georgia -54.28 -36.51 5;Atlantic/St_Helena -17.71 -11.27 1140;\
    Atlantic/Stanley -51.69 -57.86 5;Australia/ACT -33.71 150.99 48;\
    Australia/Adelaide -34.88 138.60 12;Australia/Brisbane -26.28 152.12 181;\
    Australia/Broken_Hill -31.97 141.45 5;Australia/Canberra -33.71 150.99 48;\
    Australia/Currie -42.26 147.09 91;Australia/Darwin -14.23 131.55 216;\
    Australia/Hobart -42.26 147.09 91;Australia/Melbourne -37.77 144.94 23;\
    Australia/NSW -33.71 150.99 48;Australia/North -14.23 131.55 216;\
    Australia/Perth -31.71 116.07 39;Australia/Queensland -26.28 152.12 181;\
    Australia/South -34.88 138.60 12;Australia/Sydney -33.71 150.99 48;\
    Australia/Tasmania -42.26 147.09 91;Australia/Victoria -37.77 144.94 23;\
    Australia/West -31.71 116.07 39;Australia/Yancowinna -31.97 141.45 5;\
    Brazil/Acre -9.46 -69.07 197;Brazil/DeNoronha -3.84 -32.41 5;Brazil/East -22.78 -47.02 504;\
    Brazil/West -3.44 -60.97 205;Canada/Atlantic 44.91 -63.54 30;Canada/Central 50.05 -97.27 28;\
    Canada/Eastern 44.79 -77.06 284;Canada/Mountain 52.24 -113.82 148;\
    Canada/Newfoundland 47.94 -53.81 93;Canada/Pacific 49.33 -122.76 45;\
    Canada/Saskatchewan 51.61 -105.87 156;Canada/Yukon 60.76 -134.70 20;\
    Chile/Continental -33.59 -71.20 345;Chile/EasterIsland -27.15 -109.42 5;\
    Europe/Amsterdam 52.09 5.29 73;Europe/Andorra 42.52 1.54 5;Europe/Astrakhan 46.63 47.75 39;\
    Europe/Athens 38.72 23.33 217;Europe/Belfast 52.58 -1.43 163;Europe/Belgrade 44.08 20.65 160;\
    Europe/Berlin 51.05 9.79 279;Europe/Bratislava 48.60 18.77 133;Europe/Brussels 50.83 4.44 66;\
    Europe/Bucharest 45.64 25.33 211;Europe/Budapest 47.37 19.31 98;Europe/Busingen 47.70 8.69 5;\
    Europe/Chisinau 47.10 28.77 77;Europe/Copenhagen 55.83 11.19 92;Europe/Dublin 53.14 -7.01 79;\
    Europe/Gibraltar 36.14 -5.35 5;Europe/Guernsey 49.47 -2.53 5;Europe/Helsinki 61.42 24.81 164;\
    Europe/Isle_of_Man 54.18 -4.52 13;Europe/Istanbul 39.52 32.30 405;Europe/Jersey 49.20 -2.11 5;\
    Europe/Kaliningrad 54.73 20.75 41;Europe/Kiev 49.16 32.31 421;Europe/Kirov 58.62 49.86 96;\
    Europe/Kyiv 49.16 32.31 421;Europe/Lisbon 39.78 -8.68 153;Europe/Ljubljana 46.17 14.82 69;\
    Europe/London 52.58 -1.43 163;Europe/Luxembourg 49.62 6.10 17;Europe/Madrid 40.29 -2.45 406;\
    Europe/Malta 35.90 14.46 7;Europe/Mariehamn 60.17 20.00 11;Europe/Minsk 53.59 27.82 220;\
    Europe/Monaco 43.74 7.42 5;Europe/Moscow 54.37 39.04 810;Europe/Nicosia 34.97 33.23 36;\
    Europe/Oslo 60.80 9.56 264;Europe/Paris 47.14 2.79 364;Europe/Podgorica 42.53 19.19 40;\
    Europe/Prague 49.85 15.53 137;Europe/Riga 56.86 24.23 59;Europe/Rome 42.99 12.03 384;\
    Europe/Samara 54.41 50.79 207;Europe/San_Marino 43.95 12.47 5;Europe/Sarajevo 44.25 17.88 85;\
    Europe/Saratov 51.65 46.19 93;Europe/Simferopol 45.02 34.21 71;Europe/Skopje 41.77 21.50 57;\
    Europe/Sofia 42.74 24.99 153;Europe/Stockholm 58.88 15.69 254;Europe/Tallinn 59.19 25.25 56;\
    Europe/Tirane 41.11 19.85 53;Europe/Tiraspol 47.10 28.77 77;Europe/Ulyanovsk 54.21 48.40 45;\
    Europe/Uzhgorod 49.16 32.31 421;Europe/Vaduz 47.16 9.52 7;Europe/Vatican 41.90 12.45 5;\
    Europe/Vienna 47.82 14.95 118;Europe/Vilnius 55.08 24.15 86;Europe/Volgograd 49.09 44.44 45;\
    Europe/Warsaw 51.74 19.22 224;Europe/Zagreb 45.21 16.33 160;Europe/Zaporozhye 49.16 32.31 421;\
    Europe/Zurich 47.08 8.06 81;Indian/Antananarivo -18.92 47.47 377;Indian/Chagos -7.27 72.38 5;\
    Indian/Christmas -10.42 105.68 5;Indian/Cocos -12.16 96.82 5;Indian/Comoro -11.96 43.86 73;\
    Indian/Kerguelen -49.35 70.22 5;Indian/Mahe -4.61 55.50 9;Indian/Maldives 3.57 73.39 174;\
    Indian/Mauritius -20.22 57.60 17;Indian/Mayotte -12.80 45.18 11;Indian/Reunion -21.09 55.46 25;\
    Mexico/BajaNorte 32.40 -116.44 83;Mexico/BajaSur 23.92 -107.58 273;\
    Mexico/General 19.53 -99.34 255;Pacific/Apia -13.80 -171.93 28;\
    Pacific/Auckland -39.35 174.41 281;Pacific/Bougainville -6.24 155.56 5;\
    Pacific/Chatham -36.88 174.88 21;Pacific/Chuuk 7.80 148.39 641;Pacific/Easter -27.15 -109.42 5;\
    Pacific/Efate -17.01 167.96 122;Pacific/Fakaofo -8.93 -172.08 64;Pacific/Fiji -17.81 178.21 84;\
    Pacific/Funafuti -8.31 178.97 35;Pacific/Galapagos -0.81 -90.15 61;\
    Pacific/Gambier -23.12 -134.97 5;Pacific/Guadalcanal -9.33 159.80 26;Pacific/Guam 13.48 144.80 7;\
    Pacific/Honolulu 21.23 -157.68 43;Pacific/Kiritimati 2.05 -157.50 16;\
    Pacific/Kosrae 5.33 163.01 5;Pacific/Kwajalein 8.77 167.75 5;Pacific/Majuro 7.16 171.08 34;\
    Pacific/Marquesas -9.44 -139.48 91;Pacific/Midway -14.31 -170.70 7;Pacific/Nauru -0.53 166.92 5;\
    Pacific/Niue -19.05 -169.92 5;Pacific/Norfolk -29.05 167.97 5;Pacific/Noumea -21.97 166.30 41;\
    Pacific/Pago_Pago -14.31 -170.70 7;Pacific/Palau 7.35 134.47 5;Pacific/Pitcairn -25.07 -130.10 5;\
    Pacific/Pohnpei 6.91 158.15 9;Pacific/Ponape 6.91 158.15 9;Pacific/Port_Moresby -7.38 146.63 315;\
    Pacific/Rarotonga -21.21 -159.77 5;Pacific/Saipan 15.15 145.72 8;Pacific/Samoa -14.31 -170.70 7;\
    Pacific/Tahiti -17.56 -149.72 29;Pacific/Tarawa 1.23 173.16 23;\
    Pacific/Tongatapu -20.84 -175.03 43;Pacific/Truk 7.80 148.39 641;Pacific/Wake 1.23 173.16 23;\
    Pacific/Wallis -13.44 -176.47 38;Pacific/Yap 7.80 148.39 641;US/Alaska 61.68 -150.28 102;\
    US/Arizona 33.34 -111.93 50;US/Central 36.75 -92.79 783;US/East-Indiana 40.18 -86.03 109;\
    US/Eastern 38.20 -77.23 611;US/Hawaii 21.23 -157.68 43;US/Indiana-Starke 41.29 -86.63 15;\
    US/Michigan 42.72 -83.96 91;US/Mountain 39.16 -107.48 445;US/Pacific 37.57 -119.51 454;\
    US/Samoa -14.31 -170.70 7;\

    """
}
